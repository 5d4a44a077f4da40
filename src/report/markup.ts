/** Templates for HTML and XML in which every value is escaped unless it is markup itself. */
import { escapeUnsafe } from './escape-unsafe.ts';

/** Text that is already markup; only `markup` and `trusted` create it. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Null and undefined render nothing. */
export type MarkupValue = Markup | readonly Markup[] | string | number | null | undefined;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for element content and attributes, including characters that XML does not allow. */
export function escapeMarkup(text: string): string {
  return escapeUnsafe(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

export function markup(strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += renderValue(value) + (strings[index + 1] ?? '');
  return new Markup(text);
}

/** Only for constant texts, such as a style sheet. */
export function trustedMarkup(text: string): Markup {
  return new Markup(text);
}

function renderValue(value: MarkupValue): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return escapeMarkup(value);
  return typeof value === 'number' ? String(value) : value.map(({ text }) => text).join('');
}
