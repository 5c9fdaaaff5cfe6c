export const STYLE = '';
