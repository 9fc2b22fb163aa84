"""What a run keeps in its folder: files that are whole or not there, a curve that never runs backwards, and the settings
that belong to a checkpoint, so that nobody goes on with others by mistake."""
import hashlib
import json
from pathlib import Path

# what may differ when a run goes on: how long, how fast and how loud, but not what is computed
FREE = {"minutes", "steps", "log_every", "threads", "device", "compile", "work", "name", "preset", "target", "speclens", "keep_blocks"}

FACTS = {"target_sha256", "text_seed", "text_tokens"}        # no options, but what the run read


def write(path, save):
    """save(file) beside the path, then one rename: a full disk or a stop leaves what was there before."""
    part = path.with_name("part_" + path.name)
    try:
        save(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_text(path, text):
    write(path, lambda part: part.write_text(text))


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def settings(args, **more):
    """The options of a run as its checkpoint keeps them; `more`: what else it depends on, a hash of its target."""
    return {k: str(v) if isinstance(v, Path) else v for k, v in vars(args).items()} | more


def same_run(saved, now, folder, advice):
    """Refuses to go on with a checkpoint that other settings made; what it does not know is not compared."""
    def told(key, value):
        return str(Path(value).resolve()) if key == "init" and value else value

    def named(key):
        return key.replace("_", " ") if key in FACTS else "--" + key.replace("_", "-")

    differ = [k for k in now if k in saved and k not in FREE and told(k, saved[k]) != told(k, now[k])]
    if differ:
        changes = ", ".join(f"{named(k)} {saved[k]} (now {now[k]})" for k in differ)
        raise SystemExit(f"{folder} holds a run with {changes}: give the same options to go on, or {advice} to start another run")


def curve_to(path, step):
    """The curve opened for more rows, without those behind `step`: a run that was killed had come further than its checkpoint."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            row = json.loads(line)
        except ValueError:                       # the last line of a run that was killed
            break
        if row["step"] <= step:
            rows.append(line + "\n")
    write_text(path, "".join(rows))
    return open(path, "a")


def left(progress, state, args):
    """Says that a finished run was asked for nothing more."""
    if progress >= 1:
        length = f"--steps {args.steps}" if args.steps else f"--minutes {args.minutes:g}"
        print(f"nothing to do: {state['step']} steps are done and {length} is reached; a larger one goes on", flush=True)
