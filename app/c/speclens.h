/* SpecLens as a C library, libspeclens.so: what the command line does, for other programs and languages (docs/python.md is a module
 * over it). Options go in as JSON, results come out as the text that the command writes with --json: of `run` a trace, JSON Lines
 * (docs/formats.md), of the others one JSON object.
 *
 *     speclens_model* model = 0;
 *     speclens_result* result = 0;
 *     if (speclens_open("{\"model\": \"tiny\"}", 0, 0, &model, &result) == SPECLENS_OK) {
 *         speclens_result_free(result);
 *         speclens_call(model, "run", "{\"prompt\": \"The cat\", \"drafter\": \"small\", \"k\": 4}", 0, 0, &result);
 *         puts(speclens_result_text(result, 0));
 *     }
 *     speclens_result_free(result);
 *     speclens_close(model);
 *
 * The engine is a process of its own for each model, the program `speclens`, which stands beside this library or is named by
 * SPECLENS_PROGRAM: what goes wrong there is an error here, a call can be left at once, and what a model took is free when it is
 * closed.
 *
 * Threads: every function may be called from any thread. The calls of a process take turns, since each takes the machine's cores
 * and its times are measured. After fork() the child's calls end with SPECLENS_FORKED; a child that was forked before the first call
 * is free to. Nothing is written to standard output or standard error, no signal handler is set. */
#ifndef SPECLENS_H
#define SPECLENS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised where a function or a type below changes; what is only added does not raise it. */
#define SPECLENS_ABI 1
#define SPECLENS_API __attribute__((visibility("default")))

/* Loaded models; a number that is never reused, so a handle that was closed is told from one that is open. */
typedef struct speclens_model speclens_model;
/* What a call gave. It is the caller's, and outlives the model. */
typedef struct speclens_result speclens_result;

/* How a call ended: the program's exit codes, and two more. */
typedef enum speclens_kind {
    SPECLENS_OK = 0,
    SPECLENS_FAILED = 1,   /* it was measured, and the answer is no (texts differ, no verdict); the text, if any, says it */
    SPECLENS_USAGE = 2,    /* an option, a command, or a model that was closed */
    SPECLENS_MODEL = 3,    /* a file that cannot be read or used */
    SPECLENS_DEVICE = 4,   /* no such device, or no memory */
    SPECLENS_NETWORK = 6,  /* a server as target */
    SPECLENS_FORKED = 7,   /* this process was forked from one that had called before */
    SPECLENS_ENDED = 8,    /* the engine's process was killed, or fell over; the model has to be opened again */
    SPECLENS_STOPPED = 130 /* the callback asked for it */
} speclens_kind;

/* How far a call is. Texts are UTF-8 and live as long as the callback. */
typedef struct speclens_progress {
    const char* what;   /* "loading target"; empty: nothing is counted at the moment */
    double done, total; /* in units */
    const char* unit;   /* "MB", "%", "texts" */
} speclens_progress;

/* Called about every 50 ms in the thread that made the call, also while that waits for its turn, until it answers with anything
 * but 0: then the call ends within .3 s with SPECLENS_STOPPED. The engine looks up within a piece of a prompt or a pass; where that
 * takes longer, the model's next call waits for it. Calls that the callback makes would wait for the end of its own. */
typedef int (*speclens_callback)(void* user, const speclens_progress* progress);

SPECLENS_API int speclens_abi(void);             /* SPECLENS_ABI of the library that was loaded */
SPECLENS_API const char* speclens_version(void); /* "0.1.0" */

/* Loads models. Options are those of the command line's group "Models", without the dashes (threads, precision, weights …),
 * "model" (a name such as "tiny" or "qwen-0.5b", a path, or the address of a server) and "drafters": heads and draft models,
 * {"medusa": "DIR"}. */
SPECLENS_API speclens_kind speclens_open(const char* options_json, speclens_callback callback, void* user, speclens_model** model,
                                         speclens_result** result);
/* Returns at once. A call that is running goes on; those that wait for their turn, and later ones, end with SPECLENS_USAGE. 0 does
 * nothing. */
SPECLENS_API void speclens_close(speclens_model* model);

/* `command`: run, compare, sweep, advise, lossless or same. Options are the command's own, by their names on the command line without the
 * dashes, "_" for "-": a switch is true, a list is an array, NAME=VALUE pairs are an object; null and a switch that is false are as
 * good as absent. "prompt" is a text, also where it begins with @. lossless has "texts", how many to draw, same has
 * "urls", one server or two. Standard output is taken: json, csv, text and the like are refused. Without a model (0): what the command line
 * does without --model.
 *
 * Both calls set *result, whatever they return, unless `result` is 0 or memory is short. */
SPECLENS_API speclens_kind speclens_call(speclens_model* model, const char* command, const char* options_json, speclens_callback callback,
                                         void* user, speclens_result** result);

/* UTF-8, ended by a 0 that `bytes` (may be 0) does not count; "" of what there is not, and of 0. */
SPECLENS_API const char* speclens_result_text(const speclens_result* result, size_t* bytes);
SPECLENS_API const char* speclens_result_error(const speclens_result* result);   /* what went wrong; "" where nothing did */
SPECLENS_API const char* speclens_result_remedy(const speclens_result* result);  /* what to try */
SPECLENS_API const char* speclens_result_notices(const speclens_result* result); /* what else there is to know, a line each */
SPECLENS_API void speclens_result_free(speclens_result* result);                 /* 0 does nothing */

#ifdef __cplusplus
}
#endif

#endif
