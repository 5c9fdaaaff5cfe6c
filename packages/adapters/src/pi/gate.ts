import type { ApprovalMode } from '@agent-mux/core';

/** What stands before the name of a tool in the title of the gate's question. */
export const GATE_TITLE = 'agent-mux tool: ';
/** With what every refusal of the gate begins. */
export const REFUSAL = 'Refused: ';

/** The tools of pi 0.87 that look and change nothing. */
const READ_ONLY = ['read', 'grep', 'find', 'ls'];
const EDITS = ['edit', 'write'];

export interface GatePolicy {
  /** Tools that pass unasked. */
  pass: readonly string[];
  /** The others are asked for; otherwise refused. */
  ask: boolean;
  refusal: string;
}

/** Undefined: no gate, everything runs. In `deny` the gate asks and the engine says no, so that it is seen. */
export function gatePolicy(
  mode: ApprovalMode,
  canAsk: boolean,
  allowedTools: readonly string[] = [],
): GatePolicy | undefined {
  const denied = `${REFUSAL}the user did not allow this.`;
  const nobody = `${REFUSAL}this needs an approval and nobody can be asked.`;
  const refusal = canAsk ? denied : nobody;
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
 * The extension that pi is started with: it has no permissions of its own and runs every call. A call that is neither
 * passed nor confirmed is blocked, and pi blocks it too when the handler fails; when the file cannot be loaded, pi exits.
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
