/** Templates for HTML and XML in which every value is escaped unless it is markup itself. */
import { printable } from './printable.ts';

/** Text that is markup already; only `markup` and `trusted` make it. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What a template may hold; null and undefined become nothing. */
export type MarkupValue = Markup | readonly Markup[] | string | number | null | undefined;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for element content and attributes, characters that no XML may hold among it. */
export function escapeMarkup(text: string): string {
  return printable(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** The template tag. */
export function markup(strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += textOf(value) + (strings[index + 1] ?? '');
  return new Markup(text);
}

/** Text of our own that is markup, such as a style sheet. */
export function trusted(text: string): Markup {
  return new Markup(text);
}

function textOf(value: MarkupValue): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string') return escapeMarkup(value);
  return typeof value === 'number' ? String(value) : value.map(({ text }) => text).join('');
}
