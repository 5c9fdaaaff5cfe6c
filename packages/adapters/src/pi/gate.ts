import type { ApprovalMode } from '@agent-mux/core';

/** Prefix of the tool name in the title of the gate's question. */
export const GATE_TITLE = 'agent-mux tool: ';
/** Prefix of every refusal of the gate. */
export const REFUSAL = 'Refused: ';

/** The read-only tools of pi 0.87. */
const READ_ONLY = ['read', 'grep', 'find', 'ls'];
const EDITS = ['edit', 'write'];

export interface GatePolicy {
  /** Tools that pass without asking. */
  pass: readonly string[];
  /** The others are asked for; otherwise refused. */
  ask: boolean;
  refusal: string;
}

/** Undefined: no gate, everything runs. In `deny` the gate asks and the engine denies, so that it is visible. */
export function gatePolicy(
  mode: ApprovalMode,
  canAsk: boolean,
  allowedTools: readonly string[] = [],
): GatePolicy | undefined {
  const denied = `${REFUSAL}the user did not allow this.`;
  const unavailable = `${REFUSAL}this needs an approval, which this mode cannot request.`;
  const refusal = canAsk ? denied : unavailable;
  switch (mode) {
    case 'yolo':
      return undefined;
    case 'plan':
      return { pass: READ_ONLY, ask: false, refusal: `${REFUSAL}plan mode, nothing is changed.` };
    case 'accept-edits':
      return { pass: [...READ_ONLY, ...EDITS, ...allowedTools], ask: canAsk, refusal };
    case 'deny':
    case 'prompt':
      return { pass: [...READ_ONLY, ...allowedTools], ask: canAsk, refusal };
  }
}

/**
 * The extension that pi is started with: pi has no permissions and runs every call. A call that is neither passed nor
 * confirmed is blocked, and pi blocks it too when the handler fails; when the file cannot be loaded, pi exits.
 */
export function gateSource(policy: GatePolicy): string {
  return `const POLICY = ${JSON.stringify(policy)};

export default function gate(pi) {
  pi.on('tool_call', async (call, context) => {
    if (POLICY.pass.includes(call.toolName)) return undefined;
    const refused = { block: true, reason: POLICY.refusal };
    if (!POLICY.ask || !context.hasUI) return refused;
    const about = JSON.stringify({ toolCallId: call.toolCallId, input: call.input });
    const confirmed = await context.ui.confirm(${JSON.stringify(GATE_TITLE)} + call.toolName, about);
    return confirmed === true ? undefined : refused;
  });
}
`;
}
