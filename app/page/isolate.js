// A service worker that adds the headers of isolation where the host of the page cannot: only then does a browser give threads. The
// page asks for it and loads itself once more. Nothing is kept: each request goes to the host as before.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const request = event.request;
  if (new URL(request.url).origin !== self.location.origin) return;
  if (request.cache === 'only-if-cached' && request.mode !== 'same-origin') return;
  event.respondWith(fetch(request).then((answer) => {
    if (answer.status === 0) return answer;
    const headers = new Headers(answer.headers);
    headers.set('Cross-Origin-Opener-Policy', 'same-origin');
    headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
    headers.set('Cross-Origin-Resource-Policy', 'same-origin');
    return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
  }));
});
