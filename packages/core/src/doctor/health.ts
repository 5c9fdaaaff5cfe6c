import { guardServer } from '../border/guard-live.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { HttpServerSpec } from '../contract/live.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import type { HealthStatus } from '../contract/run.ts';
import { durationInWords } from '../duration.ts';
import { redactSecrets } from '../redact/redact.ts';
import type { Registry } from '../registry/registry.ts';
import { readBody } from '../run/channels/http-body.ts';
import { fetchFrom } from '../run/channels/http-fetch.ts';
import { modesOf } from '../run/options/gate.ts';
import { fillOptions, resolveOptions } from '../run/options/options.ts';
import { parseIfJson } from '../values.ts';

/** `health` answers within so long. */
const HEALTH_LIMIT_MS = 5000;
/** What is left for the answer itself. */
const MARGIN_MS = 250;

export interface HealthContext {
  adapters: Registry;
  env: NodeJS.ProcessEnv;
}

/** Whether an agent could be run now, by what the machine says now. Never rejects for what is wrong with the agent. */
export async function checkHealth(context: HealthContext, adapter: AgentAdapter): Promise<HealthStatus> {
  const { agent } = adapter;
  const { promise: late, resolve } = Promise.withResolvers<HealthStatus>();
  const sick = {
    healthy: false,
    message: `${agent} did not answer within ${durationInWords(HEALTH_LIMIT_MS)}`,
    details: null,
  };
  const timer = setTimeout(resolve, HEALTH_LIMIT_MS - MARGIN_MS, sick);
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
    // A definition that lacks a variable or a folder, an adapter that fails.
    return { healthy: false, message: `${adapter.agent}: ${explainFetch(error)}`, details: null };
  }
}

/** Somebody else's server that the agent's best mode talks to; undefined: agent-mux starts what it talks to. */
export function serverOf(adapter: AgentAdapter): HttpServerSpec | undefined {
  const live = modesOf(adapter)[0]?.live;
  return live?.transport === 'http' && live.server.baseUrl ? live.server : undefined;
}

/** Of a run that asks for nothing. Throws where the agent's definition cannot be filled in. */
function plainOptions(adapter: AgentAdapter): ResolvedRunOptions {
  const defaultMode = () => modesOf(adapter)[0]!.name;
  const given = { agent: adapter.agent, prompt: 'health' };
  return fillOptions(adapter, resolveOptions(given, { profiles: {}, defaults: {}, defaultMode }));
}

async function askCommand({ adapters }: HealthContext, { agent }: AgentAdapter): Promise<HealthStatus> {
  const info = await adapters.detect(agent, true);
  const sick = (message: string) => ({ healthy: false, message, details: info && { ...info } });
  if (!info?.installed) return sick(`${agent} is not installed`);
  const { version, problem, minVersion, meetsMinVersion, cliPath } = info;
  if (problem !== undefined) return sick(`${agent} fails: ${redactSecrets(problem)}`);
  // One that does not tell its version may be as new as any.
  if (version !== null && !meetsMinVersion) return sick(`${agent} ${version} is older than ${minVersion}`);
  const message = version ? `${agent} ${version}` : cliPath ? `${agent}, found at ${cliPath}` : agent;
  return { healthy: true, message, details: { ...info } };
}

/** Statuses to HEAD by which whoever answers says that the agent itself is out of reach. */
const OUT_OF_REACH: ReadonlySet<number> = new Set([401, 407, 502, 503, 504]);

async function probeServer(
  { agent }: AgentAdapter,
  given: HttpServerSpec,
  options: ResolvedRunOptions,
  env: NodeJS.ProcessEnv,
): Promise<HealthStatus> {
  const spec = guardServer(agent, given, () => {});
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
  const why = healthy ? 'answers' : answer.ok ? 'answers, but is another server' : 'cannot be used';
  return { healthy, message: `${agent} at ${url} ${why} (${status} to ${method})`, details: { url, status } };
}

/** fetch hides the reason (ECONNREFUSED, ...) in its cause. */
function explainFetch(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return redactSecrets(cause instanceof Error ? cause.message || error.message : error.message);
}
