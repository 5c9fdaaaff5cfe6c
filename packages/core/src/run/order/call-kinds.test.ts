import { describe, expect, it } from 'vitest';
import type { AgentEvent, EventBody } from '../../contract/events.ts';
import { graverKind, kindOfTool, TOOL_KINDS, type ToolKind, type ToolKindTable } from '../../contract/tool-kinds.ts';
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

/** What each event of a tool says, `type kind`, for a decoder that returns these. */
function told(...bodies: EventBody[]): string[] {
  const events: AgentEvent[] = [];
  const sequencer = new Sequencer({ agent: 'a', runId: 'r', toolKinds: TABLE }, (event) => events.push(event));
  sequencer.beginTurn();
  for (const body of bodies) sequencer.write(body);
  sequencer.endSession('completed');
  return kindsOf(events);
}
const kindsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => ('toolName' in event ? [`${event.type} ${event.kind}`] : []));

describe('the kind of a tool call', () => {
  it('is what the table of the adapter says, from its start to an end that nobody told', () => {
    expect(told(start('Bash'))).toEqual(['tool_call_start execute', 'tool_call_ready execute', 'tool_error execute']);
  });

  it('is `other` for a tool that nobody knows, whatever its name', () => {
    expect(told(start('Teleport'))[0]).toBe('tool_call_start other');
    expect(told(start('constructor'))[0]).toBe('tool_call_start other');
  });

  it('is `mcp` for a tool of an MCP server, also if it has the name of one of the agent’s own', () => {
    const call = { toolCallId: 't', server: 's', toolName: 'Read' };
    expect(told({ type: 'mcp_tool_call_start', ...call, input: {} })).toEqual([
      'mcp_tool_call_start mcp',
      'mcp_tool_error mcp',
    ]);
    expect(told(ask('Read', { kind: 'mcp' }))).toEqual(['approval_request mcp']);
    expect(told(start('mcp__files__Read'))[0]).toBe('tool_call_start mcp');
  });

  it('becomes more precise, and never less grave', () => {
    expect(told(start('Teleport'), ready('Teleport', {}, 'read'))).toContain('tool_call_ready read');
    expect(told(start('Read'), ready('Read', {}, 'fetch'))).toContain('tool_call_ready fetch');
    expect(told(start('Bash', 'read'), ready('Bash', {}, 'read'))).toEqual([
      'tool_call_start execute',
      'tool_call_ready execute',
      'tool_error execute',
    ]);
  });

  it('is not made harmless by a word of the agent where the table says that it may come to anything', () => {
    expect(told(start('Task', 'read'), ready('Task', {}, 'think'))).toEqual([
      'tool_call_start other',
      'tool_call_ready other',
      'tool_error other',
    ]);
    expect(told(start('Task', 'execute'))[0]).toBe('tool_call_start execute');
  });

  it('is that of the approval too, whichever comes first', () => {
    expect(told(start('Bash'), ask('something', { toolCallId: 't', kind: 'edit' }))).toContain(
      'approval_request execute',
    );
    expect(told(ask('Teleport', { toolCallId: 't', kind: 'delete' }), start('Teleport'))).toContain(
      'tool_call_start delete',
    );
  });

  it('of a patch is told by what the patch does', () => {
    const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
    const remove = patch('*** Update File: a', '@@', '*** Delete File: b');
    expect(told(start('Patch'), ready('Patch', { patchText: remove }))).toContain('tool_call_ready delete');
    expect(told(ready('Patch', patch('*** Update File: a', '*** Move to: b')))).toContain('tool_call_ready move');
    expect(told(ready('Patch', patch('*** Add File: a', '+*** Delete File: x')))).toContain('tool_call_ready edit');
    expect(told(ready('Read', { text: remove }))).toContain('tool_call_ready read');
  });

  it('belongs to the call and not to its id, which the next turn may use again', () => {
    const events: AgentEvent[] = [];
    const sequencer = new Sequencer({ agent: 'a', runId: 'r', toolKinds: TABLE }, (event) => events.push(event));
    sequencer.beginTurn();
    sequencer.write(ask('Bash', { toolCallId: 't' }));
    sequencer.endTurn('completed');
    sequencer.beginTurn();
    sequencer.write(start('Read'));
    expect(kindsOf(events)).toEqual(['approval_request execute', 'tool_call_start read']);
  });

  it('is added to events of an older agent-mux, and left alone otherwise', () => {
    const events: AgentEvent[] = [];
    const sequencer = new Sequencer({ agent: 'a', runId: 'r' }, (event) => events.push(event));
    const envelope = { agent: 'x', runId: 'r', turnIndex: 0, timestamp: 0 };
    // What an older one prints has no kind.
    sequencer.pass({ ...start('Bash'), ...envelope, seq: 3 } as AgentEvent);
    sequencer.pass({ ...start('Bash', 'fetch'), ...envelope, seq: 4 } as AgentEvent);
    expect(kindsOf(events)).toEqual(['tool_call_start other', 'tool_call_start fetch']);
  });
});

describe('a table of tools', () => {
  it('takes a name before a pattern, and a star for anything', () => {
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

  it('has an order of gravity over all kinds', () => {
    for (const kind of TOOL_KINDS) {
      expect(graverKind(kind, kind)).toBe(kind);
      expect(graverKind('other', kind)).toBe(kind);
      if (kind !== 'mcp') expect(graverKind(kind, 'execute')).toBe('execute');
    }
  });
});
