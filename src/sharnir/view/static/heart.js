// Heart: a worker that tells the server, 25 times a second, that this browser is there, and how long its page has
// been silent. It does not share the page's thread: a page that draws slowly is not taken for one that is gone.

const EVERY = 40; // ms; after 200 the server takes back what is held, after 750 it holds the drives
const RETRY_AFTER = 100; // ms

let url = null;
let socket = null;
let heard = 0; // when the page spoke last

self.onmessage = ({ data }) => {
  heard = performance.now();
  if (data.url === undefined || data.url === url) return;
  url = data.url;
  socket?.close();
  if (url) connect();
};

function connect() {
  const made = new WebSocket(url);
  socket = made;
  made.onclose = () => setTimeout(() => socket === made && url && connect(), RETRY_AFTER);
}

setInterval(() => {
  if (socket?.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify({ page: (performance.now() - heard) / 1000 }));
}, EVERY);
