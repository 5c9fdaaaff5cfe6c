import { z } from 'zod';

const ColumnsSchema = z.int().min(1).max(1000);

export const TerminalSizeSchema = z.strictObject({ cols: ColumnsSchema, rows: ColumnsSchema });

export const OpenTerminalSchema = TerminalSizeSchema.extend({
  prompt: z.string().max(100_000).optional().describe('First input for the agent, as if typed.'),
});

/** Chosen by the viewer, one per window. */
export const ViewerSchema = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/);

export const TerminalQuerySchema = z.strictObject({ viewer: ViewerSchema.default('viewer') });

export const TerminalInputSchema = z.strictObject({
  viewer: ViewerSchema,
  data: z.string().min(1).max(1_000_000).describe('Bytes as sent by the keyboard.'),
});
export const ViewerSizeSchema = TerminalSizeSchema.extend({ viewer: ViewerSchema });
export const ViewerClaimSchema = z.strictObject({ viewer: ViewerSchema });

const ExitSchema = z.object({
  code: z.int().nullable(),
  signal: z.string().nullable(),
  problem: z.string().optional(),
});

export const ScreenSchema = z.object({
  data: z.string().describe('Output that reproduces the screen.'),
  cols: z.int(),
  rows: z.int(),
  exit: ExitSchema.nullable().describe('How the program exited; null if it is running.'),
});
export type TerminalScreen = z.infer<typeof ScreenSchema>;

export const TerminalMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('screen'),
    data: z.string().describe('The whole screen and scrollback; replaces everything before.'),
    cols: z.int(),
    rows: z.int(),
    writer: z.string().nullable(),
  }),
  z.object({ type: z.literal('data'), data: z.string() }),
  z.object({ type: z.literal('size'), cols: z.int(), rows: z.int() }),
  z.object({ type: z.literal('writer'), writer: z.string().nullable().describe('The viewer with the keyboard.') }),
  z.object({ type: z.literal('rejected'), reason: z.string() }),
  z.object({ type: z.literal('ended'), exit: ExitSchema }),
]);
export type TerminalMessage = z.infer<typeof TerminalMessageSchema>;
