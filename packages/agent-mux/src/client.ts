/** Runs that a daemon keeps: they outlive this process, and can be taken up again in another. */
import { type ConnectionOptions, connectTo, type Locate, type RemoteClient } from '@agent-mux/api';

export type {
  AttachOptions,
  DaemonClient,
  LaunchResult,
  Message,
  RemoteClient,
  RemoteRunHandle,
  Request,
  Session,
  SessionEvent,
} from '@agent-mux/api';
export { ApiError } from '@agent-mux/api';

export interface ConnectOptions extends Omit<ConnectionOptions, 'at'> {
  /** Where the daemon is; default: that of this user on this machine. */
  url?: string;
  /** What opens it; default: that of this user's daemon. */
  token?: string;
  /** Whether the daemon is started where there is none; default true. Not with `url`. */
  start?: boolean;
}

/**
 * The same `run()` as that of `createClient()`, with sessions that a daemon keeps. Nothing is sent, and no daemon started, before
 * something is asked for.
 */
export function connect(options: ConnectOptions = {}): RemoteClient {
  const { url, token, start = true, env = process.env, ...rest } = options;
  return connectTo({ ...rest, env, at: url === undefined ? findOwn(env, start, token) : findAt(url, token, env) });
}

function findOwn(env: NodeJS.ProcessEnv, start: boolean, token: string | undefined): Locate {
  let locate: Locate | undefined;
  return async (again) => {
    const { daemonLocator } = await import('@agent-mux/daemon/start');
    locate ??= daemonLocator(env, { start });
    const found = await locate(again);
    return token === undefined ? found : { ...found, token };
  };
}

function findAt(url: string, token: string | undefined, env: NodeJS.ProcessEnv): Locate {
  return async () => {
    if (token !== undefined) return { url, token };
    const { findPlaces, readToken } = await import('@agent-mux/daemon/start');
    return { url, token: (await readToken(findPlaces(env))) ?? undefined };
  };
}
