export const DOCS_SCRIPT = '';
