import { guardServer } from '../boundary/guard-live.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { HttpServerSpec } from '../contract/live.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { HealthStatus } from '../contract/run.ts';
import { formatDuration } from '../duration.ts';
import { redactSecrets } from '../redact/redact.ts';
import type { Registry } from '../registry/registry.ts';
import { readBody } from '../run/channels/http-body.ts';
import { fetchFrom } from '../run/channels/http-fetch.ts';
import { modesOf } from '../run/options/gate.ts';
import { applyDefaults, resolveOptions } from '../run/options/options.ts';
import { parseIfJson } from '../values.ts';

/** Time limit of `health`. */
const HEALTH_LIMIT_MS = 5000;
/** Reserved for returning the result. */
const MARGIN_MS = 250;

export interface HealthContext {
  adapters: Registry;
  env: NodeJS.ProcessEnv;
}

/** Whether an agent can be run now, by checking the machine. Never rejects because of a problem with the agent. */
export async function checkHealth(context: HealthContext, adapter: AgentAdapter): Promise<HealthStatus> {
  const { agent } = adapter;
  const { promise: late, resolve } = Promise.withResolvers<HealthStatus>();
  const unhealthy = {
    healthy: false,
    message: `${agent} did not answer within ${formatDuration(HEALTH_LIMIT_MS)}`,
    details: null,
  };
  const timer = setTimeout(resolve, HEALTH_LIMIT_MS - MARGIN_MS, unhealthy);
  try {
    return await Promise.race([examine(context, adapter), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function examine(context: HealthContext, adapter: AgentAdapter): Promise<HealthStatus> {
  try {
    const options = plainOptions(adapter);
    const server = serverOf(adapter);
    return await (server ? probeServer(adapter, server, options, context.env) : askCommand(context, adapter));
  } catch (error) {
    // The agent definition lacks a variable or folder, or the adapter failed.
    return { healthy: false, message: `${adapter.agent}: ${explainFetch(error)}`, details: null };
  }
}

/** The external server of the agent's default mode; undefined: agent-mux starts the process or server itself. */
export function serverOf(adapter: AgentAdapter): HttpServerSpec | undefined {
  const live = modesOf(adapter)[0]?.live;
  return live?.transport === 'http' && live.server.baseUrl ? live.server : undefined;
}

/** Options of a minimal run. Throws if the agent's definition cannot be resolved. */
function plainOptions(adapter: AgentAdapter): ResolvedRunOptions {
  const defaultMode = () => modesOf(adapter)[0]!.name;
  const options = { agent: adapter.agent, prompt: 'health' };
  return applyDefaults(adapter, resolveOptions(options, { profiles: {}, defaults: {}, defaultMode }));
}

async function askCommand({ adapters }: HealthContext, { agent }: AgentAdapter): Promise<HealthStatus> {
  const info = await adapters.detect(agent, true);
  const unhealthy = (message: string) => ({ healthy: false, message, details: info && { ...info } });
  if (!info?.installed) return unhealthy(`${agent} is not installed`);
  const { version, problem, minVersion, meetsMinVersion, cliPath } = info;
  if (problem !== undefined) return unhealthy(`${agent} fails: ${redactSecrets(problem)}`);
  // An agent that does not report its version may be recent enough.
  if (version !== null && !meetsMinVersion) return unhealthy(`${agent} ${version} is older than ${minVersion}`);
  const message = version ? `${agent} ${version}` : cliPath ? `${agent}, found at ${cliPath}` : agent;
  return { healthy: true, message, details: { ...info } };
}

/** Responses to HEAD that mean that the agent itself is unreachable. */
const OUT_OF_REACH: ReadonlySet<number> = new Set([401, 407, 502, 503, 504]);

async function probeServer(
  { agent }: AgentAdapter,
  unguarded: HttpServerSpec,
  options: ResolvedRunOptions,
  env: NodeJS.ProcessEnv,
): Promise<HealthStatus> {
  const spec = guardServer(agent, unguarded, () => {});
  const url = spec.baseUrl!(options, env).replace(/\/$/, '');
  const { healthPath, probePath = '/' } = spec;
  const method = healthPath === undefined ? 'HEAD' : 'GET';
  const answer = await fetchFrom(`${url}${healthPath ?? probePath}`, {
    method,
    headers: spec.headers?.(options, '', env),
    signal: AbortSignal.timeout(HEALTH_LIMIT_MS - MARGIN_MS),
  }).catch((error: unknown) => explainFetch(error));
  if (typeof answer === 'string') {
    return { healthy: false, message: `nothing answers at ${url}: ${answer}`, details: { url, error: answer } };
  }
  const { status } = answer;
  const healthy =
    healthPath === undefined
      ? !OUT_OF_REACH.has(status)
      : answer.ok && (spec.isHealthy?.(parseIfJson(await readBody(answer.body))) ?? true);
  await answer.body?.cancel().catch(() => {});
  const why = healthy ? 'answers' : answer.ok ? 'answers, but is not the expected server' : 'is unavailable';
  return { healthy, message: `${agent} at ${url} ${why} (${status} to ${method})`, details: { url, status } };
}

/** fetch hides the reason (ECONNREFUSED, ...) in its cause. */
function explainFetch(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return redactSecrets(cause instanceof Error ? cause.message || error.message : error.message);
}
