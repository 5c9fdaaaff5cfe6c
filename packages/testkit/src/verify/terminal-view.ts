import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, call } from '../chaos/drive/api.ts';
import { waitFor } from '../chaos/drive/wait.ts';

/** Keys that arrive together count as a paste, in which Enter is a new line: people are slower. */
const KEY_PAUSE_MS = 400;
const LOOK_EVERY_MS = 150;
const VIEWER = 'verify';

/** A person in front of the screen of a session. */
export interface TerminalView {
  /** Resolves when it is visible. */
  shows(what: string | RegExp): Promise<void>;
  sees(what: string | RegExp): Promise<boolean>;
  type(keys: string): Promise<void>;
  /** Types this, sees it in the box, and presses Enter. */
  say(text: string): Promise<void>;
  /** Its program has ended. */
  ends(): Promise<void>;
}

interface Screen {
  data: string;
  exit: { code: number | null } | null;
}

/** A client that types must also watch: the stream is read and dropped. */
export async function openScreenOf(daemon: Address, id: string, limitMs: number): Promise<TerminalView> {
  const path = `/sessions/${id}/terminal`;
  const { url, token } = daemon;
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const response = await fetch(`${url}/api/v1${path}?viewer=${VIEWER}`, { headers });
  assert.ok(response.ok && response.body, `the screen cannot be watched: ${response.status}`);
  void forget(response.body);

  const look = () => call<Screen>(daemon, 'GET', path);
  const type = async (keys: string) => {
    await call(daemon, 'POST', `${path}/input`, { viewer: VIEWER, data: keys });
    await sleep(KEY_PAUSE_MS);
  };
  const isOn = (screen: string, what: string | RegExp) =>
    typeof what === 'string' ? withoutBreaks(screen).includes(what) : what.test(screen);
  const shows = async (what: string | RegExp) => {
    let seen = '';
    const isThere = async () => {
      await sleep(LOOK_EVERY_MS);
      const { data, exit } = await look();
      seen = readScreen(data);
      if (isOn(seen, what)) return true;
      assert.ok(!exit, `its program has ended with ${exit?.code}`);
      return false;
    };
    await waitFor('', limitMs, isThere).catch((error: unknown) => {
      throw new Error(`the screen does not show ${what} (${String(error)}):\n${seen.slice(-4000)}`);
    });
  };
  return {
    shows,
    sees: async (what) => isOn(readScreen((await look()).data), what),
    type,
    async say(text) {
      await type(text);
      await shows(text);
      await type('\r');
    },
    async ends() {
      let seen = '';
      const hasEnded = async () => {
        const { data, exit } = await look();
        seen = readScreen(data);
        return exit !== null;
      };
      await waitFor('', limitMs, hasEnded).catch(() => {
        throw new Error(`its program does not end:\n${seen.slice(-4000)}`);
      });
    },
  };
}

async function forget(body: ReadableStream<Uint8Array>): Promise<void> {
  try {
    for await (const _ of body);
  } catch {
    // It ended with the daemon.
  }
}

/** The visible text of a screen, line by line. */
export function readScreen(data: string): string {
  return data
    .replace(/\x1b\[(\d*)C/g, (_, steps: string) => ' '.repeat(Number(steps) || 1))
    .replace(/\x1b\[[\d;?]*[A-Za-z]/g, '')
    .replace(/[ \t\r]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n');
}

/** Long lines wrap at the edge of the window, and boxes have a frame. */
function withoutBreaks(text: string): string {
  return text.replace(/[\s│┃|]+/g, ' ');
}
