/**
 * Identity of this browser: a signing key that the browser stores for this origin (including the port). No script can
 * read the key, and it is never sent. Requests carry a signature over this origin and the nonce of the current daemon
 * process.
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
/** Storage key of the path that the user wanted to open when the sign-in page was shown. */
const WANTED = 'agent-mux.wanted';
const WANTED_MS = 10 * 60_000;

/** In-memory login for browsers that cannot store keys (some private windows). */
let unstored: Login | undefined;
/** Credential of all requests; undefined until it is first created. */
let credential: Promise<string | undefined> | undefined;
let signingIn: Promise<void> = Promise.resolve();
let failure: string | null = null;

/** Why the last login link failed; null if it succeeded or none was opened. */
export function loginFailure(): string | null {
  return failure;
}

/** Signs in if the page was opened with a login link. Requests wait until this is done. */
export function acceptLoginLink(): void {
  const [, code] = CODE.exec(window.location.hash) ?? [];
  // Pasting a login link into an open page changes only the fragment.
  window.addEventListener('hashchange', () => {
    if (CODE.test(window.location.hash)) window.location.reload();
  });
  if (code === undefined) return;
  window.history.replaceState(null, '', takeWanted() ?? window.location.pathname + window.location.search);
  signingIn = signIn(code).catch((error: unknown) => {
    failure = error instanceof Error ? error.message : String(error);
  });
}

/** Stores the current path, so that signing in leads back to it. */
export function rememberWanted(): void {
  const { pathname, search } = window.location;
  if (pathname !== '/') localStorage.setItem(WANTED, JSON.stringify({ path: pathname + search, at: Date.now() }));
}

/** Credential of a request: browser id and signature; undefined if not signed in. */
export async function currentCredential(): Promise<string | undefined> {
  await signingIn;
  credential ??= fetch('/api/v1/health').then((response) => sign(response.headers.get('agent-mux-nonce')));
  const current = await credential.catch(() => undefined);
  // Try again next time: another tab may sign in, or the daemon may come back.
  if (current === undefined) credential = undefined;
  return current;
}

/** After a 401: signs the daemon's current nonce. Returns false if that yields no new credential. */
export async function renewCredential(refused: string | undefined, { headers }: Response): Promise<boolean> {
  const [, nonce = null] = /\bnonce="([\w-]+)"/.exec(headers.get('www-authenticate') ?? '') ?? [];
  const now = await credential?.catch(() => undefined);
  // If several requests are refused at once, only the first renews the credential.
  if (now === undefined || now === refused) credential = sign(nonce);
  const renewed = await credential?.catch(() => undefined);
  if (renewed === undefined) credential = undefined;
  return renewed !== undefined && renewed !== refused;
}

async function signIn(code: string): Promise<void> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify']);
  const body = JSON.stringify({ code, publicKey: toText(await crypto.subtle.exportKey('raw', publicKey)) });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/api/v1/browsers', { method: 'POST', headers, body });
  if (response.status === 401) throw new Error('This link was already used or has expired');
  if (!response.ok) throw new Error(`The daemon rejected this link (${response.status})`);
  const { id } = (await response.json()) as { id: string };
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
    const request = act(transaction.objectStore(STORE));
    transaction.oncomplete = () => {
      database.close();
      resolve(request.result);
    };
    transaction.onabort = () => {
      database.close();
      reject(transaction.error);
    };
  };
  return promise;
}

function takeWanted(): string | undefined {
  const stored = localStorage.getItem(WANTED);
  localStorage.removeItem(WANTED);
  if (stored === null || window.location.pathname !== '/') return undefined;
  const { path, at }: { path?: unknown; at?: unknown } = JSON.parse(stored);
  const isRecent = typeof at === 'number' && Date.now() - at < WANTED_MS;
  // Exactly one leading slash: two would name another host.
  return isRecent && typeof path === 'string' && /^\/(?!\/)/.test(path) ? path : undefined;
}

function toText(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
