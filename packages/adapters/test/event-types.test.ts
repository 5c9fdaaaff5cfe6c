import { readFileSync } from 'node:fs';
import type { EventType } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';

const C = '../../core/src';
const A = '../src';

/**
 * The emitter of each event type, and the test that shows it. A type without an entry does not compile; remove one
 * without an emitter.
 */
const EMITTERS: Record<EventType, [emitter: string, shown: string]> = {
  session_start: [`${A}/codex/exec/events.ts`, `${A}/codex/app-server/decode.test.ts`],
  session_resume: [`${C}/run/ordering/sequence.ts`, `${C}/run/turns/rate-limit.test.ts`],
  session_fork: [`${C}/run/ordering/sequence.ts`, `${C}/run/ordering/sequence.test.ts`],
  session_end: [`${C}/run/ordering/sequence.ts`, `${C}/run/log/backpressure.test.ts`],
  turn_start: [`${C}/run/ordering/sequence.ts`, `${C}/run/turns/rate-limit.test.ts`],
  turn_end: [`${A}/codex/app-server/decode.ts`, `${A}/codex/app-server/decode.test.ts`],
  message_start: [`${A}/codex/items.ts`, `${A}/codex/app-server/decode.test.ts`],
  message_stop: [`${A}/codex/items.ts`, `${A}/codex/app-server/decode.test.ts`],
  text_delta: [`${A}/codex/items.ts`, `${A}/codex/app-server/decode.test.ts`],
  message_discard: [`${A}/claude-stream/messages.ts`, `${A}/claude/events.test.ts`],
  thinking_start: [`${A}/claude-stream/messages.ts`, `${A}/claude/events.test.ts`],
  thinking_delta: [`${A}/claude-stream/messages.ts`, `${A}/claude/events.test.ts`],
  thinking_stop: [`${A}/claude-stream/messages.ts`, `${A}/claude/events.test.ts`],
  tool_call_start: [`${A}/claude-stream/tools.ts`, `${A}/claude/events.test.ts`],
  tool_input_delta: [`${A}/claude-stream/tools.ts`, `${A}/claude/events.test.ts`],
  tool_call_ready: [`${A}/claude-stream/tools.ts`, `${A}/claude/events.test.ts`],
  tool_output_delta: [`${A}/pi-family/tools.ts`, `${A}/pi/events.test.ts`],
  tool_result: [`${A}/claude-stream/tools.ts`, `${A}/claude/events.test.ts`],
  tool_error: [`${A}/claude-stream/tools.ts`, `${A}/claude/events.test.ts`],
  mcp_tool_call_start: [`${A}/claude-stream/tools.ts`, `${A}/claude/events.test.ts`],
  mcp_tool_result: [`${A}/gemini/events.ts`, `${A}/gemini/gemini.test.ts`],
  mcp_tool_error: [`${A}/codex/items.ts`, `${A}/codex/app-server/approvals.test.ts`],
  subagent_start: [`${A}/claude-stream/system.ts`, `${A}/claude/events.test.ts`],
  subagent_end: [`${A}/claude-stream/system.ts`, `${A}/claude/events.test.ts`],
  plan_update: [`${A}/generic/external/decode.ts`, `${A}/generic/external/external.test.ts`],
  file_change: [`${A}/codex/items.ts`, `${A}/codex/app-server/approvals.test.ts`],
  file_output: [`${A}/generic/external/decode.ts`, `${A}/generic/external/external.test.ts`],
  image_output: [`${A}/acp/updates.ts`, `${A}/kimi/kimi.test.ts`],
  approval_request: [`${A}/codex/app-server/approvals.ts`, `${A}/codex/app-server/approvals.test.ts`],
  approval_resolved: [`${C}/run/turns/requests.ts`, `${C}/run/turns/approvals.test.ts`],
  input_required: [`${A}/codex/app-server/approvals.ts`, `${A}/codex/app-server/approvals.test.ts`],
  input_resolved: [`${C}/run/turns/requests.ts`, `${C}/run/turns/approvals.test.ts`],
  cost: [`${A}/codex/usage.ts`, `${A}/codex/app-server/decode.test.ts`],
  context_usage: [`${A}/codex/app-server/decode.ts`, `${A}/codex/app-server/decode.test.ts`],
  rate_limit_status: [`${A}/codex/app-server/decode.ts`, `${A}/codex/errors.test.ts`],
  rate_limit_error: [`${A}/gemini/errors.ts`, `${A}/gemini/gemini.test.ts`],
  auth_error: [`${A}/gemini/errors.ts`, `${A}/gemini/gemini.test.ts`],
  context_exceeded: [`${A}/shared/failures.ts`, `${A}/codex/errors.test.ts`],
  context_compacted: [`${A}/claude-stream/system.ts`, `${A}/claude/events.test.ts`],
  retry: [`${C}/run/retries.ts`, `${C}/run/turns/rate-limit.test.ts`],
  timeout: [`${C}/run/turns/failure.ts`, `${C}/run/turns/watchdogs.test.ts`],
  interrupted: [`${C}/run/turns.ts`, `${C}/run/interrupt.test.ts`],
  aborted: [`${C}/run/ending.ts`, `${C}/run/abort.test.ts`],
  crash: [`${C}/run/turns/failure.ts`, `${C}/run/crash.test.ts`],
  error: [`${A}/shared/failures.ts`, `${A}/codex/app-server/decode.test.ts`],
  plugin_loaded: [`${A}/claude-stream/system.ts`, `${A}/claude/events.test.ts`],
  skill_loaded: [`${A}/claude-stream/system.ts`, `${A}/claude/events.test.ts`],
  skill_invoked: [`${A}/claude-stream/tools.ts`, `${A}/claude/events.test.ts`],
  title: [`${A}/opencode-family/server/events.ts`, `${A}/opencode-family/server/handshake.test.ts`],
  debug: [`${C}/run/ending.ts`, `${C}/run/turns/rate-limit.test.ts`],
  log: [`${C}/run/drivers/decode.ts`, `${C}/run/drivers/decode.test.ts`],
};

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('event types', () => {
  it.each(Object.entries(EMITTERS))('%s is emitted and shown by a test', (type, [emitter, shown]) => {
    // A type in a declaration (`Extract<..., { type: 'cost' }>`) emits nothing.
    const lines = read(emitter)
      .split('\n')
      .filter((line) => !line.includes('Extract<'));
    expect(lines.some((line) => new RegExp(`\\btype: (?:[^,;]* )?'${type}'`).test(line))).toBe(true);
    expect(read(shown)).toMatch(new RegExp(`['"]${type}['"]`));
  });
});
