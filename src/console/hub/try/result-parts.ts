/** The content of an MCP result, as what can be shown of it. */

/** A text under its label, or an image. */
export type ResultPart =
  | { readonly kind: 'text'; readonly label: string; readonly text: string }
  | { readonly kind: 'image'; readonly source: string };

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

const imageTypes = /^image\/(png|jpeg|gif|webp|avif)$/;
const base64 = /^[A-Za-z0-9+/=\s]+$/;

function indented(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function partOf(content: Members): ResultPart {
  const { type, text, data, mimeType } = content;
  if (type === 'text' && typeof text === 'string') return { kind: 'text', label: '', text: indented(text) };
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') {
    if (imageTypes.test(mimeType) && base64.test(data))
      return { kind: 'image', source: `data:${mimeType};base64,${data}` };
  }
  return { kind: 'text', label: String(type ?? 'content'), text: JSON.stringify(content, undefined, 2) };
}

/** The parts, in their order; structured content that the text does not tell already comes last. */
export function resultParts(result: Members): ResultPart[] {
  const content = Array.isArray(result.content) ? result.content.filter(isMembers).map(partOf) : [];
  if (result.structuredContent === undefined) return content;
  const text = JSON.stringify(result.structuredContent, undefined, 2);
  if (content.some((part) => part.kind === 'text' && part.text === text)) return content;
  return [...content, { kind: 'text', label: 'Structured content', text }];
}
