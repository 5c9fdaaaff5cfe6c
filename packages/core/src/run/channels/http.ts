import { createParser } from 'eventsource-parser';
import type { SpawnArgs } from '../../contract/adapter.ts';
import type { HttpCall, HttpMessage, HttpServerSpec } from '../../contract/live.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import type { ProcessExit } from '../process.ts';
import type { TraceWriter } from '../trace.ts';
import type { Channel, ChannelSink } from './channel.ts';
import { streamBody } from './http-body.ts';
import type { AgentServers, ServerLease } from './servers.ts';

/** The event stream may break while the server lives; so often in a row it is opened again. */
const RECONNECTS = 5;
const RECONNECT_DELAY_MS = 300;

export interface HttpSetup {
  spec: HttpServerSpec;
  options: ResolvedRunOptions;
  plan: () => SpawnArgs;
  servers: AgentServers;
  trace: TraceWriter | undefined;
  sink: ChannelSink<HttpMessage>;
}

/** Calls out, replies and server-sent events in. Calls wait until the server is there and its event stream is open. */
export class HttpChannel implements Channel<HttpCall> {
  readonly #setup: HttpSetup;
  readonly #stop = new AbortController();
  /** Calls are sent in the order in which they were given; a reply may overtake another. */
  #ready: Promise<void>;
  #lease: ServerLease | undefined;
  #leaseDone: Promise<unknown> = Promise.resolve();
  #closed = false;
  #paused: Promise<void> | undefined;
  #unpause: () => void = () => {};

  constructor(setup: HttpSetup) {
    this.#setup = setup;
    this.#ready = this.#connect();
    this.#ready.catch((error) => this.#close({ code: null, signal: null, spawnError: error }, stderrOf(error)));
  }

  send(calls: readonly HttpCall[]): void {
    for (const call of calls) {
      this.#ready.then(
        () => this.#call(call),
        () => {},
      );
    }
  }

  closeInput(): void {}

  interrupt(): void {}

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
    this.#closed = true;
    this.#stop.abort();
    await this.#leaseDone.catch(() => {});
    await this.#lease?.release();
  }

  async #connect(): Promise<void> {
    const { spec, options, servers, plan, sink } = this.#setup;
    if (spec.baseUrl) {
      this.#lease = {
        url: spec.baseUrl(options).replace(/\/$/, ''),
        headers: spec.headers?.(options, '') ?? {},
        release: async () => {},
      };
    } else {
      const joining = servers.join(spec, options, plan, {
        stderr: (lines, bytes) => sink.stderr(lines, bytes),
        died: (exit, stderr) => this.#close(exit, stderr),
      });
      this.#leaseDone = joining;
      this.#lease = await joining;
    }
    sink.alive();
    const path = spec.eventsPath?.(options);
    if (path === undefined) {
      this.#deliver({ kind: 'connected' });
      return;
    }
    await new Promise<void>((opened, failed) => void this.#listen(path, opened, failed));
  }

  async #listen(path: string, opened: () => void, failed: (error: unknown) => void): Promise<void> {
    for (let failures = 0; !this.#closed; ) {
      try {
        const answer = await this.#fetch(path, { headers: { accept: 'text/event-stream' } });
        if (!answer.ok || !answer.body) throw new Error(`${path} answered ${answer.status}`);
        failures = 0;
        this.#deliver({ kind: 'connected' });
        opened();
        await this.#readEvents(answer.body);
      } catch (error) {
        failures += 1;
        if (failures > RECONNECTS) {
          failed(error);
          this.#close({ code: null, signal: null }, error instanceof Error ? error.message : String(error));
          return;
        }
      }
      if (!this.#closed) await new Promise((resolve) => setTimeout(resolve, RECONNECT_DELAY_MS));
    }
  }

  async #readEvents(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = createParser({ onEvent: ({ data }) => this.#deliver({ kind: 'event', data }, data.length) });
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      await this.#paused;
      this.#setup.trace?.write('stdout', chunk);
      parser.feed(decoder.decode(chunk, { stream: true }));
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
      const body = await answer.text();
      this.#setup.trace?.write('stdout', `${answer.status} ${body}\n`);
      this.#deliver({ kind: 'reply', tag, status: answer.status, body: parsed(body), headers }, body.length);
    } catch (error) {
      this.#deliver({ kind: 'failed', tag, message: failureText(error) });
    }
  }

  #fetch(path: string, init: RequestInit, timeoutMs?: number): Promise<Response> {
    const { url, headers } = this.#lease!;
    const signals = [this.#stop.signal, ...(timeoutMs ? [AbortSignal.timeout(timeoutMs)] : [])];
    return fetch(`${url}${path}`, {
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
    this.#stop.abort();
    this.#setup.sink.closed({ exit, stderr });
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** fetch hides the reason (ECONNREFUSED, ...) in its cause. */
function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}

function stderrOf(error: unknown): string {
  const data = (error as { data?: { stderr?: unknown } } | null)?.data;
  return typeof data?.stderr === 'string' ? data.stderr : '';
}
