import type { Template } from './scenario.ts';

/** The text of a template, with its placeholders as they are written. */
export function formatTemplate({ parts }: Template): string {
  return parts.map((part) => ('text' in part ? part.text : `\${${part.placeholder}}`)).join('');
}
