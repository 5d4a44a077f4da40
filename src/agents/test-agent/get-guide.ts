import { Type } from '@sinclair/typebox';
import { didYouMean } from '../../errors/suggestion.ts';
import { vpError } from '../../errors/vp-error.ts';
import { cut, pieceOf } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import { guideTopics } from '../guide-topics.ts';
import { OffsetInput } from '../input.ts';
import { readOnly, tool } from '../tool.ts';

/** The language with examples, made from the parser's own tables. */
export const getGuide = tool({
  name: 'author__get_guide',
  description: 'How to work and how scenarios are written, with an example; one topic, or all. Read it before writing.',
  input: Type.Object({ topic: Type.Optional(Type.String()), offset: OffsetInput }),
  annotations: readOnly,
  async handle({ topic, offset = 0 }) {
    const topics = guideTopics();
    const names = topics.map(({ name }) => name);
    const chosen = topic === undefined ? topics : topics.filter(({ name }) => name === topic);
    if (topic !== undefined && chosen.length === 0) {
      const hint = didYouMean(topic, names);
      const values = { topic: cut(topic, 100), hint: hint === '' ? '' : `: ${hint.trim()}`, known: names.join(', ') };
      throw vpError('AGENT_TOPIC_UNKNOWN', values);
    }
    const piece = pieceOf(chosen.map(({ text }) => text).join('\n\n'), offset);
    const { text, nextOffset } = piece;
    const more = nextOffset !== null && `(There is more: offset ${nextOffset}, or a topic of ${names.join(', ')}.)`;
    const data = { topics: names, topic: topic ?? null, next_offset: nextOffset, content: text };
    return { text: linesOf(text, more), data };
  },
});
