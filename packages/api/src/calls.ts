import type { z } from 'zod';
import type { OperationId, Routes } from './routes.ts';

type OperationInput<Part> = Part extends z.ZodType ? z.input<Part> : Part extends 'raw' ? Blob : never;

/** A part whose fields are all optional is optional itself. */
type Part<Op extends OperationId, Name extends string> =
  Routes[Op] extends Record<Name, infer Schema>
    ? Record<never, never> extends OperationInput<Schema>
      ? { [Key in Name]?: OperationInput<Schema> }
      : { [Key in Name]: OperationInput<Schema> }
    : unknown;

/** Input of a route: `params`, `query` and `body`, if it has them. */
export type OperationRequest<Op extends OperationId> = Part<Op, 'params'> & Part<Op, 'query'> & Part<Op, 'body'>;

/** JSON reply of a route; undefined if it has none. */
export type OperationResponse<Op extends OperationId> = Routes[Op]['reply'] extends {
  schema: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : undefined;
