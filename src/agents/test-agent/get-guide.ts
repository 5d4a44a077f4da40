import { Type } from '@sinclair/typebox';
import { formatSuggestion } from '../../errors/suggestion.ts';
import { vpError } from '../../errors/vp-error.ts';
import { OffsetInput } from '../tools/input-schemas.ts';
import { joinLines, sliceText, truncate } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';
import { briefTopicName, listGuideTopics, renderBriefTopic } from './guide-topics.ts';

/** The scenario language with examples, generated from the parser's own tables. */
export const getGuideTool = createTool({
  name: 'author__get_guide',
  description: 'How to work and to write scenarios. topic brief: all forms, read it first.',
  input: Type.Object({ topic: Type.Optional(Type.String()), offset: OffsetInput }),
  annotations: readOnlyAnnotations,
  async handle({ topic, offset = 0 }) {
    const brief = { name: briefTopicName, text: renderBriefTopic() };
    const topics = topic === briefTopicName ? [brief] : listGuideTopics();
    const names = [briefTopicName, ...listGuideTopics().map(({ name }) => name)];
    const selectedTopics = topic === undefined ? topics : topics.filter(({ name }) => name === topic);
    if (topic !== undefined && selectedTopics.length === 0) {
      const hint = formatSuggestion(topic, names);
      const values = {
        topic: truncate(topic, 100),
        hint: hint === '' ? '' : `: ${hint.trim()}`,
        known: names.join(', '),
      };
      throw vpError('AGENT_TOPIC_UNKNOWN', values);
    }
    const piece = sliceText(selectedTopics.map(({ text }) => text).join('\n\n'), offset);
    const { text, nextOffset } = piece;
    const more = nextOffset !== null && `(There is more: offset ${nextOffset}, or a topic of ${names.join(', ')}.)`;
    const data = { topics: names, topic: topic ?? null, next_offset: nextOffset, content: text };
    return { text: joinLines(text, more), data };
  },
});
