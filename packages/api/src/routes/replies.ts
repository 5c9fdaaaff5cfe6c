import { z } from 'zod';
import type { Reply } from '../route.ts';

export const json = <Schema extends z.ZodType, Status extends Reply['status'] = 200>(
  schema: Schema,
  description: string,
  status?: Status,
) => ({ status: status ?? (200 as const), description, schema });

export const bytes = (mimeType: string, description: string) => ({ status: 200 as const, description, mimeType });

export const none = (status: Reply['status'], description: string) => ({ status, description });

export const noFields = z.strictObject({});
