import type { ErrorCode } from '@agent-mux/core';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { printJsonLine } from './output.ts';
import { paint } from './screen/paint.ts';
import { escapeUnprintable, toOneLine } from './screen/plain.ts';
import { UsageError } from './usage-error.ts';

/** An error as reported to the user. */
export interface Failure {
  code: ErrorCode;
  /** The daemon's error code: `TURN_RUNNING`, `REQUEST_CLOSED`, ... */
  problem?: string;
  message: string;
  hint?: string;
  agent?: string;
  exitCode: number;
}

/** Converts any error; an unexpected one is reported as a bug in amux. */
export async function describeFailure(error: unknown): Promise<Failure> {
  if (error instanceof UsageError) {
    return { code: 'VALIDATION_ERROR', message: error.message, hint: error.hint, exitCode: EXIT.usage };
  }
  const { AgentMuxError, asStorageError, messageOf } = await import('@agent-mux/core/light');
  const known = error instanceof AgentMuxError ? error : asStorageError(error);
  if (known) {
    const { code, message, hint, agent } = known;
    const { PROBLEMS, problemOf } = await import('./daemon/problems.ts');
    const problem = problemOf(known);
    const meaning = problem === undefined ? undefined : PROBLEMS[problem];
    return {
      code,
      ...(problem === undefined ? {} : { problem }),
      message,
      hint: hint ?? meaning?.hint,
      agent,
      exitCode: meaning?.exitCode ?? exitCodeOf(code),
    };
  }
  const message = messageOf(error);
  const stack = error instanceof Error && process.env.AMUX_DEBUG ? `\n${error.stack}` : '';
  return {
    code: 'INTERNAL_ERROR',
    message: `unexpected error: ${message}${stack}`,
    hint: 'this is a bug in amux: set AMUX_DEBUG=1 and report the stack trace',
    exitCode: EXIT.failure,
  };
}

/** What is printed on stderr; with --json, the result document carries the code. */
export type FailureReport = Omit<Failure, 'code'>;

/** Prints the message and hint on stderr and, with --json, one line on stdout. */
export function reportFailure(failure: Failure, json: boolean): void {
  printFailure(failure);
  if (json) printJsonLine({ type: 'error', ...failure });
}

export function printFailure({ message, hint }: FailureReport): void {
  const { red, dim } = paint(process.stderr);
  process.stderr.write(
    `${red('amux:')} ${process.env.AMUX_DEBUG ? escapeUnprintable(message) : toOneLine(message, 2000)}\n`,
  );
  if (hint) process.stderr.write(`${dim('hint:')} ${toOneLine(hint, 2000)}\n`);
}
