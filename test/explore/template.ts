/** A template that every workspace has. */
export const TEMPLATE = 'tpl_square';
