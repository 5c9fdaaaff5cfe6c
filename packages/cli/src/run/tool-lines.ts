import type { ChangedLine, EventOf } from '@agent-mux/core';
import { escapeControls } from '@agent-mux/core/light';
import { toOneLine } from '../screen/plain.ts';
import type { Screen } from '../screen/screen.ts';
import { diffOfInput, diffOfPatch, SHOWN_DIFF_LINES } from './diff.ts';
import { summarizeInput, summarizeOutput } from './summaries.ts';

interface ToolCall {
  name: string;
  input: unknown;
  indent: string;
  /** Changes reported so far; shown below the result. */
  changes: ChangedLine[];
  diffShown: boolean;
}

/** One line per tool call: the call, then its result. */
export class ToolLines {
  readonly #screen: Screen;
  readonly #calls = new Map<string, ToolCall>();
  /** Finished calls whose change was shown; agents often report the change afterwards. */
  readonly #seen = new Set<string>();
  /** The call whose line is still open for its result. */
  #open: string | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  inputOf(toolCallId: string | undefined): unknown {
    return toolCallId === undefined ? undefined : this.#calls.get(toolCallId)?.input;
  }

  start(id: string, name: string, input: unknown, parent?: string): void {
    const indent = parent === undefined ? '' : '  ';
    this.#calls.set(id, { name, input, indent, changes: [], diffShown: false });
    const { paint, width } = this.#screen;
    const summary = summarizeInput(input, Math.max(20, Math.floor(width * 0.6)));
    this.#screen.openLine(
      `${indent}${paint.cyan('●')} ${paint.bold(toOneLine(name, 60))}${summary ? ` ${summary}` : ''}`,
    );
    this.#open = id;
  }

  /** Other output follows: closes the open line. */
  close(): void {
    this.#open = undefined;
  }

  result(event: EventOf<'tool_result'> | EventOf<'mcp_tool_result'>): void {
    const { paint, width } = this.#screen;
    const failed = event.type === 'tool_result' && event.exitCode !== undefined && event.exitCode !== 0;
    const summary = summarizeOutput(event.output, Math.max(20, Math.floor(width * 0.35)));
    const call = this.#calls.get(event.toolCallId);
    this.#end(
      event.toolCallId,
      event.toolName,
      failed ? paint.red(`✗ exit ${event.exitCode}: ${summary}`) : paint.dim(`→ ${summary}`),
    );
    if (call && !call.diffShown) this.#showDiff(call, call.changes.length > 0 ? call.changes : diffOfInput(call.input));
    if (call?.diffShown) this.#seen.add(event.toolCallId);
    this.#calls.delete(event.toolCallId);
  }

  error(event: EventOf<'tool_error'> | EventOf<'mcp_tool_error'>): void {
    const { paint } = this.#screen;
    const denied = event.type === 'tool_error' && event.denied === true;
    const text = toOneLine(event.error, 120);
    this.#end(event.toolCallId, event.toolName, denied ? paint.yellow(`✗ ${text}`) : paint.red(`✗ ${text}`));
    const call = this.#calls.get(event.toolCallId);
    if (call && !call.diffShown) this.#showDiff(call, call.changes);
    this.#calls.delete(event.toolCallId);
  }

  /** A change whose call did not show it in its input, or that belongs to no call. */
  fileChange(event: EventOf<'file_change'>): void {
    const { paint, width } = this.#screen;
    const call = event.toolCallId === undefined ? undefined : this.#calls.get(event.toolCallId);
    const diff = event.diff === undefined ? [] : diffOfPatch(event.diff);
    if (call) {
      call.changes.push(...diff);
      return;
    }
    if (event.toolCallId !== undefined && (diff.length === 0 || this.#seen.has(event.toolCallId))) return;
    this.close();
    this.#screen.line(`${paint.cyan('●')} ${event.change} ${toOneLine(event.path, width - 12)}`);
    this.#writeDiff('', diff);
  }

  /** The user was asked about the call and has seen its changes. */
  seen(toolCallId: string | undefined): void {
    const call = toolCallId === undefined ? undefined : this.#calls.get(toolCallId);
    if (call) call.diffShown = true;
  }

  #showDiff(call: ToolCall, diff: readonly ChangedLine[]): void {
    if (diff.length === 0) return;
    call.diffShown = true;
    this.close();
    this.#writeDiff(call.indent, diff);
  }

  #writeDiff(indent: string, diff: readonly ChangedLine[]): void {
    const { paint, width } = this.#screen;
    const colors = { '+': paint.green, '-': paint.red, ' ': paint.dim };
    const write = (text: string) => this.#screen.line(text);
    for (const { sign, text } of diff.slice(0, SHOWN_DIFF_LINES)) {
      write(
        colors[sign](
          `${indent}    ${sign} ${this.#screen.fit(escapeControls(text.replaceAll('\t', '  ')), 8 + indent.length)}`,
        ),
      );
    }
    const more = diff.length - SHOWN_DIFF_LINES;
    if (more > 0) write(paint.dim(`${indent}    … ${more} more lines`.slice(0, width)));
  }

  #end(id: string, name: string, outcome: string): void {
    const { paint } = this.#screen;
    const indent = this.#calls.get(id)?.indent ?? '';
    if (this.#open === id && this.#screen.isMidLine) this.#screen.append(` ${outcome}`);
    else this.#screen.line(`${indent}  ${paint.dim(toOneLine(name, 60))} ${outcome}`);
    this.close();
  }
}
