export interface InstalledPlugin {
  id: string;
  version?: string;
  enabled: boolean;
  format: string;
  source?: string;
}
export interface PluginInstallOptions {
  version?: string;
  registry?: string;
  global?: boolean;
}
export interface PluginSearchOptions {
  registry?: string;
  limit?: number;
  page?: number;
}
export interface PluginListing {
  id: string;
  version?: string;
  description?: string;
  registry?: string;
}
