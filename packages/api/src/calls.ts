import type { z } from 'zod';
import type { OperationId, Routes } from './routes.ts';

type Given<Part> = Part extends z.ZodType ? z.input<Part> : Part extends 'raw' ? Blob : never;

/** A part that may be left out whole is optional. */
type Part<Op extends OperationId, Name extends string> =
  Routes[Op] extends Record<Name, infer Schema>
    ? Record<never, never> extends Given<Schema>
      ? { [Key in Name]?: Given<Schema> }
      : { [Key in Name]: Given<Schema> }
    : unknown;

/** What a call of a route must be given: `params`, `query` and `body`, where it has them. */
export type CallOf<Op extends OperationId> = Part<Op, 'params'> & Part<Op, 'query'> & Part<Op, 'body'>;

/** What a route answers as JSON; undefined where it answers nothing. */
export type AnswerOf<Op extends OperationId> = Routes[Op]['reply'] extends { schema: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;
