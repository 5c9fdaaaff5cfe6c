import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 64 * 1024;
const PLAIN_TYPE = /^[a-z0-9][a-z0-9.+-]{0,80}\/[a-z0-9][a-z0-9.+-]{0,80}$/i;

/** A file as a download that the browser never displays or runs. Always closes the handle. */
export function downloadResponse(file: FileHandle, about: { name: string; mimeType: string; bytes: number }): Response {
  return new Response(streamFile(file, about.bytes), {
    headers: {
      'content-type': PLAIN_TYPE.test(about.mimeType) ? about.mimeType : 'application/octet-stream',
      'content-length': `${about.bytes}`,
      'content-disposition': disposition(about.name),
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    },
  });
}

/** Sends exactly `bytes`: truncates a file that grows, and aborts the connection if it shrinks. */
function streamFile(file: FileHandle, bytes: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const wanted = Math.min(CHUNK_BYTES, bytes - at);
          const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
          at += bytesRead;
          if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
          if (at < bytes && bytesRead > 0) return;
          await file.close();
          if (at < bytes) controller.error(new Error('the file was truncated while being read'));
          else controller.close();
        } catch (error) {
          await file.close().catch(() => {});
          controller.error(error);
        }
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}

/** RFC 6266: an ASCII name for all clients, and the exact name. */
function disposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
