import { AgentMuxError, ValidationError } from '../contract/errors.ts';
import type { AgentEvent, TokenUsage } from '../contract/events.ts';
import type { RunOptions } from '../contract/options.ts';
import { isRetryable } from '../contract/retry.ts';
import type { AgentActivityEvent, RunHandle, RunOnceRequest, RunOnceResult } from '../contract/run.ts';
import type { Registry } from '../registry/registry.ts';
import { activityOf } from './activity.ts';

/**
 * Runs one prompt and returns the answer, for programs that need a value and not a stream. Throws if the run failed.
 */
export async function runOnce(
  run: (options: RunOptions) => RunHandle,
  request: RunOnceRequest,
  registry: Registry,
): Promise<RunOnceResult> {
  const agent = request.agent ?? request.options?.agent;
  if (!agent) {
    const known = registry.list().map((info) => info.agent);
    throw new ValidationError('runOnce', [{ field: 'agent', problem: `is missing; one of ${known.join(', ')}` }]);
  }
  const handle = run({
    ...request.options,
    agent,
    prompt: request.prompt,
    ...(request.system_prompt ? { systemPrompt: request.system_prompt } : {}),
    ...(request.cwd ? { cwd: request.cwd } : {}),
    ...(request.trace_output_path ? { tracePath: request.trace_output_path } : {}),
    ...(request.signal ? { signal: request.signal } : {}),
  });
  if (request.on_activity) watch(handle, request.on_activity);
  const result = await handle;
  if (result.exitReason !== 'completed') {
    const { code, message } = result.error ?? {
      code: 'AGENT_ERROR' as const,
      message: `the run ended: ${result.exitReason}`,
    };
    throw new AgentMuxError(code, message, {
      agent,
      retryable: isRetryable(code),
      data: { result },
    });
  }
  const reported = result.usage && tokensOf(result.usage);
  return {
    content: result.text,
    cost_usd: result.costUsd,
    duration_ms: result.durationMs,
    usage: reported ? { tokens: reported, model_id: result.model, service_tier: result.serviceTier } : null,
  };
}

/** Observes only: a failing callback changes nothing. */
function watch(handle: RunHandle, sink: (event: AgentActivityEvent) => void): void {
  handle.on('*', (event: AgentEvent) => {
    const activity = activityOf(event);
    if (!activity) return;
    // The callback may be async; its rejection is ignored like an exception.
    void (async () => sink(activity))().catch(() => {});
  });
}

function tokensOf(usage: TokenUsage): NonNullable<RunOnceResult['usage']>['tokens'] {
  const input = usage.inputTokens ?? 0;
  const output = usage.outputTokens ?? 0;
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: usage.cacheReadTokens ?? 0,
    cache_creation_tokens: usage.cacheCreationTokens ?? 0,
    // Not the agent's own total, which may include cached tokens.
    total_tokens: input + output,
  };
}
