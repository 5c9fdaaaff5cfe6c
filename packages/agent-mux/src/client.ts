/** Runs that a daemon hosts: they outlive this process and can be reattached from another. */
import { type ConnectionOptions, connectTo, type Locate, type RemoteClient } from '@agent-mux/api';

export type {
  AttachOptions,
  DaemonClient,
  Message,
  RemoteClient,
  RemoteRunHandle,
  Request,
  RunResultEvent,
  Session,
  SessionEvent,
} from '@agent-mux/api';
export { ApiError } from '@agent-mux/api';

export interface ConnectOptions extends Omit<ConnectionOptions, 'at'> {
  /** Address of the daemon; default: that of this user on this machine. */
  url?: string;
  /** Access token; default: that of this user's daemon. */
  token?: string;
  /** Whether to start the daemon if it is not running; default true. Not with `url`. */
  start?: boolean;
}

/**
 * Same `run()` as `createClient()`, with sessions hosted by a daemon. Nothing is sent and no daemon is started before
 * the first call.
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
    const { resolveDaemonPaths, readToken } = await import('@agent-mux/daemon/start');
    return { url, token: (await readToken(resolveDaemonPaths(env))) ?? undefined };
  };
}
