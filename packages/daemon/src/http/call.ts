import type { OperationId, Routes } from '@agent-mux/api/schemas';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { Identity } from './access/identify.ts';

export type HttpContext = Context<{ Bindings: HttpBindings; Variables: { operation: string } }>;

type Parsed<Part> = Part extends z.ZodType ? z.output<Part> : undefined;
type PartOf<Op extends OperationId, Name extends string> =
  Routes[Op] extends Record<Name, infer Part> ? Parsed<Part> : undefined;

/** A validated request. */
export interface Call<Op extends OperationId> extends Identity {
  params: PartOf<Op, 'params'>;
  query: PartOf<Op, 'query'>;
  body: PartOf<Op, 'body'>;
  request: Request;
  context: HttpContext;
}

type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
    : Value;

type ReplyOf<Op extends OperationId> = Routes[Op]['reply'] extends { schema: infer Schema extends z.ZodType }
  ? Frozen<z.input<Schema>>
  : undefined;

/** Returns the value of its route's reply schema, or a complete response. */
type Handler<Op extends OperationId> = (call: Call<Op>) => Promise<ReplyOf<Op> | Response>;

/** One handler per route; a missing one does not compile. */
export type Handlers = { readonly [Op in OperationId]: Handler<Op> };
