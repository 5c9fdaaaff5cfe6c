import { deepStrictEqual } from 'node:assert/strict';
import { type AgentAdapter, type EventBody, kindOfTool, stricterKind, type ToolEventType } from '@agent-mux/core';
import { aboutTopic, type ContractCheck } from '../check.ts';
import type { Subject } from '../subject.ts';
import { replayRecording } from './check-recordings.ts';

/** In any notation: `runShellCommand`, `run_shell_command`. */
const SHELLS: ReadonlySet<string> = new Set(
  [
    ...['bash', 'sh', 'shell', 'powershell', 'exec', 'execute', 'terminal', 'run', 'eval', 'local shell'],
    ...['exec command', 'run command', 'run commands', 'execute command', 'shell command', 'run shell command'],
    ...['run terminal command', 'run terminal cmd', 'launch process'],
  ].map(plain),
);

type ToolEvent = Extract<EventBody, { type: ToolEventType }>;

/** Tools of MCP servers are `mcp` by their type. */
const OWN_EVENTS: ReadonlySet<string> = new Set([
  'tool_call_start',
  'tool_call_ready',
  'tool_result',
  'tool_error',
  'approval_request',
]);

/**
 * Rules are written by kind: an unclassified tool is `other`, and one that runs programs is never less than `execute`.
 */
export function toolKindChecks(subject: Subject): ContractCheck[] {
  const { adapter, fixtures } = subject;
  return aboutTopic('its tools', (show) => {
    const recordings = fixtures.recordings ?? [];
    const skip = recordings.length === 0 ? 'no recordings in the fixtures' : undefined;
    const recorded = () => recordings.flatMap((each) => [...replayRecording(subject, each)]).filter(isOwn);
    show('are `execute` if they have the name of a shell', () => {
      const named = Object.entries(adapter.toolKinds ?? {}).filter(([name]) => isShell(name));
      deepStrictEqual(
        named.filter(([, kind]) => kind !== 'execute'),
        [],
      );
    });
    show(
      'are of a known kind, for each in its recordings',
      () => {
        const unknown = recorded().filter(
          ({ kind, toolName }) => kind === undefined && !isClassified(adapter, toolName),
        );
        deepStrictEqual([...new Set(unknown.map(({ toolName }) => toolName))], [], 'neither in toolKinds nor reported');
      },
      skip,
    );
    show(
      'are `execute` in its recordings, too, if they have the name of a shell',
      () => {
        const shells = recorded().filter(({ toolName }) => isShell(toolName));
        const wrong = shells.filter(({ kind = 'other', toolName }) => {
          const kindOf = stricterKind(kind, kindOfTool(toolName, adapter.toolKinds ?? {}) ?? 'other');
          return kindOf !== 'execute' && kindOf !== 'mcp';
        });
        deepStrictEqual([...new Set(wrong.map(({ type, toolName }) => `${type} ${toolName}`))], []);
      },
      skip,
    );
  });
}

function isClassified({ toolKinds = {} }: AgentAdapter, toolName: string): boolean {
  return kindOfTool(toolName, toolKinds) !== undefined;
}

function isOwn(event: EventBody): event is ToolEvent {
  return OWN_EVENTS.has(event.type);
}

function isShell(toolName: string): boolean {
  return SHELLS.has(plain(toolName));
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}
