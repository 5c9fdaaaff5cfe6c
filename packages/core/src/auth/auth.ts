import type { AgentAdapter } from '../contract/adapter.ts';
import type { AuthState } from '../contract/auth-and-config.ts';
import type { Platform } from '../contract/capabilities.ts';
import type { AgentAuth, AuthApi, AuthGuide } from '../contract/management.ts';
import { formatDuration } from '../duration.ts';
import { isSecretName, redactSecrets } from '../redact/redact.ts';
import type { Registry } from '../registry/registry.ts';
import { waitIdle } from './idle-limit.ts';
import { loginCommands } from './login-commands.ts';

/** Time limit of a login check, in case a file system or an adapter hangs. */
export const AUTH_LIMIT_MS = 100;

/** Never rejects because of what it finds on the machine. */
export class Auth implements AuthApi {
  readonly #adapters: Registry;
  readonly #env: NodeJS.ProcessEnv;
  readonly #limitMs: number;

  constructor({
    adapters,
    env,
    limitMs = AUTH_LIMIT_MS,
  }: {
    adapters: Registry;
    env: NodeJS.ProcessEnv;
    limitMs?: number;
  }) {
    this.#adapters = adapters;
    this.#env = env;
    this.#limitMs = limitMs;
  }

  async check(agent: string): Promise<AgentAuth> {
    return { agent, ...(await this.#check(this.#adapters.get(agent))) };
  }

  checkAll(): Promise<AgentAuth[]> {
    return Promise.all(this.#adapters.list().map(({ agent }) => this.check(agent)));
  }

  async guidance(agent: string, platform: NodeJS.Platform = process.platform): Promise<AuthGuide> {
    const guidance = this.#adapters.get(agent).getAuthGuidance();
    const shell: Platform = platform === 'win32' || platform === 'darwin' ? platform : 'linux';
    return { ...guidance, platform: shell, commands: loginCommands(guidance.methods, shell) };
  }

  async #check(adapter: AgentAdapter): Promise<AuthState> {
    const late: AuthState = { status: 'unknown', details: `no answer within ${formatDuration(this.#limitMs)}` };
    const limit = waitIdle(this.#limitMs);
    try {
      return this.#clean(await Promise.race([adapter.detectAuth(this.#env), limit.over.then(() => late)]));
    } finally {
      limit.cancel();
    }
  }

  /** Redacts all secrets of this environment, whatever the adapter returns. */
  #clean(state: AuthState): AuthState {
    const secrets = Object.entries(this.#env).flatMap(([name, value]) => (value && isSecretName(name) ? [value] : []));
    const { identity, details, ...rest } = state;
    return {
      ...rest,
      ...(identity === undefined ? {} : { identity: redactSecrets(identity, secrets) }),
      ...(details === undefined ? {} : { details: redactSecrets(details, secrets) }),
    };
  }
}
