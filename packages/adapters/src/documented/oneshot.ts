import { type AgentCapabilities, type AgentMode, type EventBody, NO_CAPABILITIES } from '@agent-mux/core';

type Documented = Partial<AgentCapabilities> & Pick<AgentCapabilities, 'approvalModes'>;

/** A process per turn that prints its answer and nothing else: no tools, no usage, no session id. */
export function textMode(name: string, documented: Documented, remark = ''): AgentMode {
  const summary = `a process per run that prints its answer as text${remark}`;
  return oneshot(name, summary, { supportsTextStreaming: true, ...documented });
}

export function textLine(line: string): EventBody[] {
  return [{ type: 'text_delta', delta: `${line}\n` }];
}

/** A process per turn that prints its events as lines of JSON. */
export function streamMode(name: string, documented: Documented, remark = ''): AgentMode {
  const summary = `a process per turn that prints its events as JSON; no approvals${remark}`;
  return { ...oneshot(name, summary, documented), outputFormat: 'jsonl', turnEndIsFinal: true };
}

/** The printed session id resumes the conversation, so a further turn is a further process. */
export const RESUMED_BY_ID = {
  canResume: true,
  resumeAttach: true,
  nativeSessionIds: true,
  supportsMultiTurn: true,
} as const;

function oneshot(name: string, summary: string, documented: Documented): AgentMode {
  const always = {
    systemPrompt: { append: 'prefix' },
    supportsNativeTools: true,
    supportsActivityStreaming: true,
  } as const;
  return { name, driver: 'oneshot', summary, capabilities: { ...NO_CAPABILITIES, ...always, ...documented } };
}
