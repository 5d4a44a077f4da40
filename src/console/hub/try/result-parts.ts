/** Converts the content of an MCP result to displayable parts. */

export type ResultPart =
  | { readonly kind: 'text'; readonly label: string; readonly text: string }
  | { readonly kind: 'image'; readonly source: string };

type JsonObject = Readonly<Record<string, unknown>>;

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

const imageTypes = /^image\/(png|jpeg|gif|webp|avif)$/;
const base64 = /^[A-Za-z0-9+/=\s]+$/;

function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function toResultPart(content: JsonObject): ResultPart {
  const { type, text, data, mimeType } = content;
  if (type === 'text' && typeof text === 'string') return { kind: 'text', label: '', text: indentJson(text) };
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') {
    if (imageTypes.test(mimeType) && base64.test(data))
      return { kind: 'image', source: `data:${mimeType};base64,${data}` };
  }
  return { kind: 'text', label: String(type ?? 'content'), text: JSON.stringify(content, undefined, 2) };
}

/** Structured content comes last, unless a text part already has the same JSON. */
export function toResultParts(result: JsonObject): ResultPart[] {
  const content = Array.isArray(result.content) ? result.content.filter(isJsonObject).map(toResultPart) : [];
  if (result.structuredContent === undefined) return content;
  const text = JSON.stringify(result.structuredContent, undefined, 2);
  if (content.some((part) => part.kind === 'text' && part.text === text)) return content;
  return [...content, { kind: 'text', label: 'Structured content', text }];
}
