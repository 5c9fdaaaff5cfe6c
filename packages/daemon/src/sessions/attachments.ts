import type { Message } from '@agent-mux/api';
import { findUpload } from '../http/files/uploads.ts';
import type { OutgoingMessage } from '../keeper/protocol.ts';
import type { DaemonContext } from './daemon-context.ts';

/** The files of a message, with their paths on this machine. */
export async function attachmentsOf(
  ctx: Pick<DaemonContext, 'paths'>,
  { files }: Pick<Message, 'files'>,
): Promise<OutgoingMessage['attachments']> {
  return Promise.all(
    files.map(async (id) => {
      const { path, name, mimeType } = await findUpload(ctx.paths.files, id);
      return { path, name, mimeType };
    }),
  );
}
