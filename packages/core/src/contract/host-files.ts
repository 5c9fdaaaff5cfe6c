/** Files of this machine for what an adapter has to set right before a start: it opens, reads and moves none by itself. */
export interface HostFiles {
  /** The names in a folder; none where it cannot be read. */
  list(folder: string): Promise<string[]>;
  /** Without its end. Rejects where there is no regular file; a line over a megabyte is cut. */
  firstLine(path: string): Promise<string>;
  /** Within one folder, in place of whatever has that name. */
  rename(path: string, name: string): Promise<void>;
}
