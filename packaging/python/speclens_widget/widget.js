// The notebook's side of the widget (docs/python.md): the page itself (app/page) in a frame, with one thread, in the place of a picture. Its
// files come from the kernel by messages, in pieces, once for a page of the browser, whose storage keeps them for the next time: there
// is no server, no service worker, no shared memory, no address. Without a kernel the picture stays.
const files = (globalThis.speclens_files ??= new Map()); // promised, by the hash of all of them and the name

function received(model, name, signal) {
  return new Promise((done, failed) => {
    if (signal.aborted) return failed(signal.reason);
    const pieces = [];
    let came = 0;
    const end = (how, what) => {
      model.off('msg:custom', take);
      how(what);
    };
    const take = (message, buffers) => {
      if (message.file !== name) return;
      if (message.error) return end(failed, new Error(message.error));
      if (!(message.part in pieces)) ++came; // another view of this output may have asked for it, too
      pieces[message.part] = buffers[0];
      if (came === message.of) end(done, new Blob(pieces));
    };
    signal.addEventListener('abort', () => end(failed, signal.reason));
    model.on('msg:custom', take);
    model.send({ want: name });
  });
}

// Out of the browser's storage, where it has one; what another version left there goes.
async function kept(hash, name, load) {
  const key = `/speclens-widget/${hash}/${name}`;
  let store;
  try {
    store = await caches.open('speclens-widget');
    const found = await store.match(key);
    if (found) return found.blob();
  } catch { /* it keeps nothing */ }
  const blob = await load();
  if (store) {
    store.put(key, new Response(blob)).catch(() => {});
    store.keys().then((all) => all.forEach((one) => one.url.includes(`/${hash}/`) || store.delete(one))).catch(() => {});
  }
  return blob;
}

async function file(model, name, signal) {
  const hash = model.get('page'), key = `${hash}/${name}`;
  if (!files.has(key)) {
    files.set(key, kept(hash, name, () => received(model, name, signal)));
    files.get(key).catch(() => files.delete(key));
  }
  try {
    return await files.get(key);
  } catch (error) {
    if (signal.aborted || error.name !== 'AbortError') throw error;
    return file(model, name, signal); // the output that had asked for it is gone
  }
}

// The picture is the output before this one (speclens_widget/__init__.py): with the frame there it is not seen, but is what is saved.
function picture_of(el) {
  const before = el.closest('.jp-OutputArea-child')?.previousElementSibling;
  return before?.querySelector('img') ? before : null;
}

async function play(model, el, signal) {
  const run = await received(model, 'run', signal);
  const [html, script] = await Promise.all(['index.html', 'page.js'].map(async (name) => (await file(model, name, signal)).text()));
  const frame = document.createElement('iframe');
  let waits;
  frame.title = 'SpecLens';
  frame.allow = 'fullscreen; clipboard-read; clipboard-write';
  frame.style.cssText = `display:block;width:100%;height:${model.get('height')}px;border:0`;
  frame.speclens = {
    query: model.get('query'),
    hash: '#' + model.get('link'),
    run: run.size > 0 ? new Uint8Array(await run.arrayBuffer()) : null,
    file: async (name) => new Response(await file(model, name, signal)),
    ready() {
      el.style.height = '';
      picture_of(el)?.style.setProperty('display', 'none');
    },
    failed(words) {
      frame.remove();
      el.style.height = '';
      el.textContent = words;
    },
    // What a saved notebook shows is what was looked at last.
    shown(words, blob) {
      clearTimeout(waits);
      waits = setTimeout(async () => model.send({ shown: words }, {}, [await blob.arrayBuffer()]), 500);
    },
  };
  frame.srcdoc = html.replace('<script src="page.js"></script>', () => `<script>${script}</script>`);
  signal.throwIfAborted();
  el.style.cssText = 'height:1px;overflow:hidden'; // until there is something to see
  el.append(frame);
}

function render({ model, el }) {
  const gone = new AbortController();
  play(model, el, gone.signal).catch((error) => {
    if (!gone.signal.aborted) el.textContent = error.message;
  });
  return () => {
    gone.abort();
    picture_of(el)?.style.removeProperty('display');
  };
}

export default { render };
