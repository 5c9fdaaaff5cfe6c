import type { Message } from '@agent-mux/api';
import { findUpload } from '../http/files/uploads.ts';
import type { Delivery } from '../keeper/protocol.ts';
import type { Desk } from './desk.ts';

/** The files of a message, as the agent will find them on this machine. */
export async function attachmentsOf(
  desk: Pick<Desk, 'places'>,
  { files }: Pick<Message, 'files'>,
): Promise<Delivery['attachments']> {
  return Promise.all(
    files.map(async (id) => {
      const { path, name, mimeType } = await findUpload(desk.places.files, id);
      return { path, name, mimeType };
    }),
  );
}
