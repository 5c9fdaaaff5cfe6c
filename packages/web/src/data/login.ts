/**
 * How this browser is known to the daemon: by a key that signs. It is kept by the browser for this origin alone, port included,
 * cannot be read by any script, and is never sent. What is sent is a signature for this origin and this start of the daemon.
 */
interface Login {
  id: string;
  key: CryptoKey;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
const DATABASE = 'agent-mux';
const STORE = 'login';
const CODE = /^#login=([\w-]{1,200})$/;
/** Where the user wanted to go when the sign-in page was shown. */
const WANTED = 'agent-mux.wanted';
const WANTED_MS = 10 * 60_000;

/** For browsers that store no keys (some private windows): until the page is left. */
let unstored: Login | undefined;
/** What requests carry; undefined until it was made. */
let credential: Promise<string | undefined> | undefined;
let signingIn: Promise<void> = Promise.resolve();
let failure: string | null = null;

/** Why the link that was opened last did not sign this browser in; null: it did, or none was opened. */
export function loginFailure(): string | null {
  return failure;
}

/** Signs in with the code of a login link, if the page was opened by one. Requests wait for it. */
export function acceptLoginLink(): void {
  const [, code] = CODE.exec(window.location.hash) ?? [];
  // A link that is pasted into an open page changes the fragment only.
  window.addEventListener('hashchange', () => {
    if (CODE.test(window.location.hash)) window.location.reload();
  });
  if (code === undefined) return;
  window.history.replaceState(null, '', takeWanted() ?? window.location.pathname + window.location.search);
  signingIn = signIn(code).catch((error: unknown) => {
    failure = error instanceof Error ? error.message : String(error);
  });
}

/** So that signing in leads to where the user wanted to go. */
export function rememberWanted(): void {
  const { pathname, search } = window.location;
  if (pathname !== '/') localStorage.setItem(WANTED, JSON.stringify({ path: pathname + search, at: Date.now() }));
}

/** Of a request: ID and signature; undefined where nobody is signed in. */
export async function currentCredential(): Promise<string | undefined> {
  await signingIn;
  credential ??= fetch('/api/v1/health').then((answer) => sign(answer.headers.get('agent-mux-nonce')));
  const made = await credential.catch(() => undefined);
  // Another tab may sign in, or the daemon may come back.
  if (made === undefined) credential = undefined;
  return made;
}

/** After a refusal: with what the daemon wants signed now. False: there is nothing else to show. */
export async function renewCredential(refused: string | undefined, { headers }: Response): Promise<boolean> {
  const [, nonce = null] = /\bnonce="([\w-]+)"/.exec(headers.get('www-authenticate') ?? '') ?? [];
  const now = await credential?.catch(() => undefined);
  // Of many requests that are refused at once, the first renews it.
  if (now === undefined || now === refused) credential = sign(nonce);
  const renewed = await credential?.catch(() => undefined);
  if (renewed === undefined) credential = undefined;
  return renewed !== undefined && renewed !== refused;
}

async function signIn(code: string): Promise<void> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify']);
  const body = JSON.stringify({ code, publicKey: toText(await crypto.subtle.exportKey('raw', publicKey)) });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch('/api/v1/browsers', { method: 'POST', headers, body });
  if (answer.status === 401) throw new Error('This link was used before, or is too old');
  if (!answer.ok) throw new Error(`The daemon refused this link (${answer.status})`);
  const { id } = (await answer.json()) as { id: string };
  unstored = { id, key: privateKey };
  await withStore('readwrite', (store) => store.put({ id, key: privateKey }, STORE)).then(
    () => {
      unstored = undefined;
    },
    () => undefined,
  );
}

async function sign(nonce: string | null): Promise<string | undefined> {
  if (nonce === null) return undefined;
  const login =
    unstored ?? (await withStore<Login | undefined>('readonly', (store) => store.get(STORE)).catch(() => undefined));
  if (!login) return undefined;
  const text = new TextEncoder().encode(`agent-mux browser\n${window.location.origin}\n${nonce}`);
  return `${login.id}.${toText(await crypto.subtle.sign(SIGNING, login.key, text))}`;
}

function withStore<Result>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const database = opening.result;
    const transaction = database.transaction(STORE, mode);
    const asked = act(transaction.objectStore(STORE));
    transaction.oncomplete = () => {
      database.close();
      resolve(asked.result);
    };
    transaction.onabort = () => {
      database.close();
      reject(transaction.error);
    };
  };
  return promise;
}

function takeWanted(): string | undefined {
  const kept = localStorage.getItem(WANTED);
  localStorage.removeItem(WANTED);
  if (kept === null || window.location.pathname !== '/') return undefined;
  const { path, at }: { path?: unknown; at?: unknown } = JSON.parse(kept);
  const isRecent = typeof at === 'number' && Date.now() - at < WANTED_MS;
  // One slash: two would be another host.
  return isRecent && typeof path === 'string' && /^\/(?!\/)/.test(path) ? path : undefined;
}

function toText(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
