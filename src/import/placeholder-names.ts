/** Variables of other tools, `{{name}}`, as placeholders of scenarios. */
import { literalDollar } from '../scenario/shell-lexer.ts';
import { findSimilarBuiltIn } from '../scenario/template.ts';

/**
 * A name that a scenario may use. One that looks like `correlation_id` is that; the parser takes others that look like one of the
 * platform’s own for a mistake, so they get a prefix.
 */
export function toPlaceholderName(name: string): string {
  const text =
    name
      .trim()
      .replaceAll(/\W+/g, '_')
      .replaceAll(/^_+|_+$/g, '') || 'VALUE';
  const usable = (/^\d/.test(text) ? `_${text}` : text).slice(0, 50);
  const near = findSimilarBuiltIn(usable);
  if (near === undefined) return usable;
  return near === 'correlation_id' ? near : `VALUE_${usable}`;
}

/** Literal `${` of a text that is no template of a scenario. */
export function escapeLiterals(text: string): string {
  return text.replaceAll('${', `${literalDollar}{`);
}

/** `{{name}}` → `${name}`; `replace` may give a value instead. Other text is literal. */
export function replaceBraces(text: string, replace: (name: string) => string | undefined = () => undefined): string {
  return escapeLiterals(text).replaceAll(
    /\{\{\s*([^{}\n]{1,200}?)\s*\}\}/g,
    (_, name: string) => replace(name) ?? `\${${toPlaceholderName(name)}}`,
  );
}
