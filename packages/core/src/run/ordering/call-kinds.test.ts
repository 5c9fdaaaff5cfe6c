import { describe, expect, it } from 'vitest';
import type { AgentEvent, EventBody } from '../../contract/events.ts';
import { kindOfTool, stricterKind, TOOL_KINDS, type ToolKind, type ToolKindTable } from '../../contract/tool-kinds.ts';
import { Sequencer } from './sequence.ts';

const TABLE: ToolKindTable = { Bash: 'execute', Read: 'read', Patch: 'edit', Task: 'other', 'mcp__*': 'mcp' };
const start = (toolName: string, kind?: ToolKind): EventBody => ({
  type: 'tool_call_start',
  toolCallId: 't',
  toolName,
  ...(kind ? { kind } : {}),
});
const ready = (toolName: string, input: unknown = {}, kind?: ToolKind): EventBody => ({
  type: 'tool_call_ready',
  toolCallId: 't',
  toolName,
  input,
  ...(kind ? { kind } : {}),
});
const ask = (toolName: string, more: object = {}): EventBody => ({
  type: 'approval_request',
  requestId: 'q',
  toolName,
  title: '',
  options: [],
  ...more,
});

/** `type kind` of each tool event for a decoder that returns these events. */
function sequencedKinds(...bodies: EventBody[]): string[] {
  const events: AgentEvent[] = [];
  const sequencer = new Sequencer({ agent: 'a', runId: 'r', toolKinds: TABLE }, (event) => events.push(event));
  sequencer.beginTurn();
  for (const body of bodies) sequencer.write(body);
  sequencer.endSession('completed');
  return kindsOf(events);
}
const kindsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => ('toolName' in event ? [`${event.type} ${event.kind}`] : []));

describe('kind of a tool call', () => {
  it("comes from the adapter's table, for all events including a missing end", () => {
    expect(sequencedKinds(start('Bash'))).toEqual([
      'tool_call_start execute',
      'tool_call_ready execute',
      'tool_error execute',
    ]);
  });

  it('is "other" for an unknown tool, whatever its name', () => {
    expect(sequencedKinds(start('Teleport'))[0]).toBe('tool_call_start other');
    expect(sequencedKinds(start('constructor'))[0]).toBe('tool_call_start other');
  });

  it('is "mcp" for an MCP tool, even if a native tool has the same name', () => {
    const call = { toolCallId: 't', server: 's', toolName: 'Read' };
    expect(sequencedKinds({ type: 'mcp_tool_call_start', ...call, input: {} })).toEqual([
      'mcp_tool_call_start mcp',
      'mcp_tool_error mcp',
    ]);
    expect(sequencedKinds(ask('Read', { kind: 'mcp' }))).toEqual(['approval_request mcp']);
    expect(sequencedKinds(start('mcp__files__Read'))[0]).toBe('tool_call_start mcp');
  });

  it('becomes more precise but never less strict', () => {
    expect(sequencedKinds(start('Teleport'), ready('Teleport', {}, 'read'))).toContain('tool_call_ready read');
    expect(sequencedKinds(start('Read'), ready('Read', {}, 'fetch'))).toContain('tool_call_ready fetch');
    expect(sequencedKinds(start('Bash', 'read'), ready('Bash', {}, 'read'))).toEqual([
      'tool_call_start execute',
      'tool_call_ready execute',
      'tool_error execute',
    ]);
  });

  it('is not relaxed by the agent if the table says "other"', () => {
    expect(sequencedKinds(start('Task', 'read'), ready('Task', {}, 'think'))).toEqual([
      'tool_call_start other',
      'tool_call_ready other',
      'tool_error other',
    ]);
    expect(sequencedKinds(start('Task', 'execute'))[0]).toBe('tool_call_start execute');
  });

  it('also applies to the approval, whichever comes first', () => {
    expect(sequencedKinds(start('Bash'), ask('something', { toolCallId: 't', kind: 'edit' }))).toContain(
      'approval_request execute',
    );
    expect(sequencedKinds(ask('Teleport', { toolCallId: 't', kind: 'delete' }), start('Teleport'))).toContain(
      'tool_call_start delete',
    );
  });

  it('of a patch depends on the patch', () => {
    const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
    const remove = patch('*** Update File: a', '@@', '*** Delete File: b');
    expect(sequencedKinds(start('Patch'), ready('Patch', { patchText: remove }))).toContain('tool_call_ready delete');
    expect(sequencedKinds(ready('Patch', patch('*** Update File: a', '*** Move to: b')))).toContain(
      'tool_call_ready move',
    );
    expect(sequencedKinds(ready('Patch', patch('*** Add File: a', '+*** Delete File: x')))).toContain(
      'tool_call_ready edit',
    );
    expect(sequencedKinds(ready('Read', { text: remove }))).toContain('tool_call_ready read');
  });

  it('belongs to the call, not to its id, which a later turn may reuse', () => {
    const events: AgentEvent[] = [];
    const sequencer = new Sequencer({ agent: 'a', runId: 'r', toolKinds: TABLE }, (event) => events.push(event));
    sequencer.beginTurn();
    sequencer.write(ask('Bash', { toolCallId: 't' }));
    sequencer.endTurn('completed');
    sequencer.beginTurn();
    sequencer.write(start('Read'));
    expect(kindsOf(events)).toEqual(['approval_request execute', 'tool_call_start read']);
  });

  it('is added to events of an older agent-mux and otherwise unchanged', () => {
    const events: AgentEvent[] = [];
    const sequencer = new Sequencer({ agent: 'a', runId: 'r' }, (event) => events.push(event));
    const envelope = { agent: 'x', runId: 'r', turnIndex: 0, timestamp: 0 };
    // Events of an older version have no kind.
    sequencer.pass({ ...start('Bash'), ...envelope, seq: 3 } as AgentEvent);
    sequencer.pass({ ...start('Bash', 'fetch'), ...envelope, seq: 4 } as AgentEvent);
    expect(kindsOf(events)).toEqual(['tool_call_start other', 'tool_call_start fetch']);
  });
});

describe('tool table', () => {
  it('prefers a name over a pattern and supports wildcards', () => {
    const table: ToolKindTable = { '*__*': 'mcp', todo__write: 'think', 'mcp-*-x': 'fetch' };
    const kinds = ['todo__write', 'a__b', '__', 'a_b', 'mcp-a-x', 'mcp-x', 'mcp--x', 'toString'];
    expect(kinds.map((name) => kindOfTool(name, table))).toEqual([
      'think',
      'mcp',
      'mcp',
      undefined,
      'fetch',
      undefined,
      'fetch',
      undefined,
    ]);
  });

  it('orders all kinds by strictness', () => {
    for (const kind of TOOL_KINDS) {
      expect(stricterKind(kind, kind)).toBe(kind);
      expect(stricterKind('other', kind)).toBe(kind);
      if (kind !== 'mcp') expect(stricterKind(kind, 'execute')).toBe('execute');
    }
  });
});
