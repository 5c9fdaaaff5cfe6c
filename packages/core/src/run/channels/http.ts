import { AgentMuxError } from '../../contract/errors.ts';
import { EVENT_STREAM_TAG, type HttpCall, type HttpMessage, type HttpServerSpec } from '../../contract/live.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import type { ProcessExit } from '../../process/process.ts';
import type { TraceWriter } from '../../process/trace.ts';
import { parseIfJson } from '../../values.ts';
import type { Channel, ChannelSink } from './channel.ts';
import { eventParser, readBody, streamBody } from './http-body.ts';
import { fetchFrom } from './http-fetch.ts';
import { watchArrival } from './pooled-process.ts';
import type { AgentServers, ServerAddress, ServerLaunch, ServerLease } from './servers.ts';

/** How many times in a row the event stream is reopened while the server lives. */
const RECONNECTS = 5;
const RECONNECT_DELAY_MS = 300;
/** Time the last calls (stopping or deleting a session) have before the connection is cut. */
const FAREWELL_MS = 1500;
/** Time to learn whether a server that we started died after it broke a connection. */
const DEATH_KNOWN_MS = 2000;

export interface HttpSetup {
  spec: HttpServerSpec;
  options: ResolvedRunOptions;
  /** Environment of the host. */
  env: NodeJS.ProcessEnv;
  /** Servers that the engine starts. */
  server: () => ServerLaunch;
  servers: AgentServers;
  trace: TraceWriter | undefined;
  sink: ChannelSink<HttpMessage>;
}

/** Sends calls; receives replies and server-sent events. Calls wait until the server and its event stream are open. */
export class HttpChannel implements Channel<HttpCall> {
  readonly #setup: HttpSetup;
  readonly #stop = new AbortController();
  /** Calls are sent in the order of `send`; a reply may overtake another. */
  #ready: Promise<void>;
  #lease: ServerLease | undefined;
  #address: ServerAddress | undefined;
  #wasLeaving = watchArrival(false);
  /** Calls in flight whose replies arrive as a whole. */
  readonly #inFlight = new Set<Promise<void>>();
  readonly #over = Promise.withResolvers<void>();
  #connected = false;
  #closed = false;
  #paused: Promise<void> | undefined;
  #unpause: () => void = () => {};

  constructor(setup: HttpSetup) {
    this.#setup = setup;
    // Deferred: the creator of the channel must hold it before the first message arrives.
    this.#ready = Promise.resolve().then(() => this.#connect());
    this.#ready.catch((error) => this.#close({ code: null, signal: null, spawnError: error }, stderrOf(error)));
  }

  send(calls: readonly HttpCall[]): void {
    for (const call of calls) {
      const sent = this.#ready.then(
        () => this.#call(call),
        () => {},
      );
      if (!this.#connected || call.response === 'stream') continue;
      this.#inFlight.add(sent);
      void sent.then(() => this.#inFlight.delete(sent));
    }
  }

  closeInput(): void {}

  pause(): void {
    this.#paused ??= new Promise((resolve) => {
      this.#unpause = resolve;
    });
  }

  resume(): void {
    this.#unpause();
    this.#paused = undefined;
  }

  async finish(): Promise<boolean> {
    await this.kill();
    return true;
  }

  async kill(): Promise<void> {
    this.resume();
    const gone = this.#closed;
    this.#closed = true;
    this.#over.resolve();
    if (!gone) await this.#farewell();
    this.#stop.abort();
    await this.#lease?.release();
  }

  /** Lets the last calls arrive: a shared or external server continues without us. */
  async #farewell(): Promise<void> {
    if (this.#inFlight.size === 0) return;
    const late = new Promise<void>((resolve) => setTimeout(resolve, FAREWELL_MS).unref());
    await Promise.race([Promise.all(this.#inFlight), late]);
  }

  async #connect(): Promise<void> {
    const { spec, options, env, servers, server, sink } = this.#setup;
    if (this.#closed) return;
    if (spec.baseUrl) {
      const headers = spec.headers?.(options, '', env) ?? {};
      this.#address = { url: spec.baseUrl(options, env).replace(/\/$/, ''), headers };
    } else {
      this.#lease = servers.join(
        { spec, options, env, ...server() },
        {
          stderr: (lines, bytes) => sink.stderr(lines, bytes),
          died: (exit, stderr) => this.#close(exit, stderr),
        },
      );
      this.#wasLeaving = watchArrival(this.#lease.used);
      this.#address = await this.#lease.address;
    }
    sink.alive();
    const path = spec.eventsPath?.(options);
    if (path === undefined) {
      this.#connected = true;
      this.#deliver({ kind: 'connected' });
      return;
    }
    await new Promise<void>((opened, failed) => void this.#listen(path, opened, failed));
  }

  async #listen(path: string, opened: () => void, failed: (error: unknown) => void): Promise<void> {
    for (let failures = 0; !this.#closed; ) {
      try {
        const answer = await this.#fetch(path, { headers: { accept: 'text/event-stream' } });
        const streams = /text\/event-stream/i.test(answer.headers.get('content-type') ?? '');
        if (!this.#connected && (!answer.ok || !streams)) {
          await this.#refuse(answer);
          failures = RECONNECTS;
        }
        if (!answer.ok || !streams || !answer.body) throw new Error(`${path} answered ${answer.status}`);
        failures = 0;
        this.#connected = true;
        this.#deliver({ kind: 'connected' });
        opened();
        await this.#readEvents(answer.body);
      } catch (error) {
        failures += 1;
        if (failures > RECONNECTS) {
          if (!this.#connected && !this.#wasLeaving())
            this.#deliver({ kind: 'failed', tag: EVENT_STREAM_TAG, message: failureText(error) });
          this.#close({ code: null, signal: null, lost: failureText(error) }, '');
          failed(error);
          return;
        }
      }
      if (!this.#closed) await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAY_MS));
    }
  }

  /** The response is not from the server, or access is denied: a retry would not help. */
  async #refuse(answer: Response): Promise<void> {
    const body = parseIfJson(await readBody(answer.body));
    const headers = Object.fromEntries(answer.headers);
    this.#deliver({ kind: 'reply', tag: EVENT_STREAM_TAG, status: answer.status, body, headers });
  }

  async #readEvents(body: ReadableStream<Uint8Array>): Promise<void> {
    const feed = eventParser((data) => this.#deliver({ kind: 'event', data }, data.length));
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      await this.#paused;
      this.#setup.trace?.write('stdout', chunk);
      feed(decoder.decode(chunk, { stream: true }));
    }
  }

  async #call(call: HttpCall): Promise<void> {
    const { tag } = call;
    try {
      const text =
        call.body === undefined ? undefined : typeof call.body === 'string' ? call.body : JSON.stringify(call.body);
      const type: Record<string, string> =
        text === undefined || typeof call.body === 'string' ? {} : { 'content-type': 'application/json' };
      this.#setup.trace?.write('in', `${call.method} ${call.path}\n${text ?? ''}\n`);
      const answer = await this.#fetch(
        call.path,
        { method: call.method, headers: { ...type, ...call.headers }, body: text },
        call.timeoutMs,
      );
      const headers = Object.fromEntries(answer.headers);
      if (call.response === 'stream' && answer.ok && answer.body) {
        await streamBody(answer.body, headers['content-type'] ?? '', async (format, data) => {
          await this.#paused;
          this.#setup.trace?.write('stdout', data);
          this.#deliver({ kind: 'chunk', tag, format, data }, data.length);
        });
        this.#deliver({ kind: 'reply', tag, status: answer.status, body: null, headers });
        return;
      }
      const body = await readBody(answer.body);
      this.#setup.trace?.write('stdout', `${answer.status} ${body}\n`);
      this.#deliver({ kind: 'reply', tag, status: answer.status, body: parseIfJson(body), headers }, body.length);
    } catch (error) {
      if (this.#wasLeaving()) return this.#close({ code: null, signal: null, lost: failureText(error) }, '');
      if (isBroken(error)) await this.#awaitDeath();
      this.#deliver({ kind: 'failed', tag, message: failureText(error) });
    }
  }

  /** Sockets close before the process exits. If the server died, only that is reported. */
  async #awaitDeath(): Promise<void> {
    if (!this.#lease || this.#closed) return;
    let timer: NodeJS.Timeout | undefined;
    const lives = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DEATH_KNOWN_MS);
    });
    await Promise.race([this.#over.promise, lives]);
    clearTimeout(timer);
  }

  #fetch(path: string, init: RequestInit, timeoutMs?: number): Promise<Response> {
    const { url, headers } = this.#address!;
    const signals = [this.#stop.signal, ...(timeoutMs ? [AbortSignal.timeout(timeoutMs)] : [])];
    return fetchFrom(`${url}${path}`, {
      ...init,
      headers: { ...headers, ...init.headers },
      signal: AbortSignal.any(signals),
    });
  }

  #deliver(message: HttpMessage, bytes = 0): void {
    if (this.#closed) return;
    this.#setup.sink.alive();
    this.#setup.sink.messages([message], bytes);
  }

  #close(exit: ProcessExit, stderr: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#over.resolve();
    this.#stop.abort();
    const stale = this.#wasLeaving();
    if (stale) this.#lease?.giveUp();
    this.#setup.sink.closed({ exit, stderr, stale });
  }
}

/** The message fetch uses when a connection could not be made or was lost. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError;
}

/** fetch hides the reason (ECONNREFUSED, ...) in its cause. */
function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (error instanceof AgentMuxError) return [error.message, error.hint].filter(Boolean).join('; ');
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}

function stderrOf(error: unknown): string {
  const data = (error as { data?: { stderr?: unknown } } | null)?.data;
  return typeof data?.stderr === 'string' ? data.stderr : '';
}
