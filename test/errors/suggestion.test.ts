import t from 'tap';
import { findSuggestion, formatSuggestion } from '../../src/errors/suggestion.ts';

const known = ['run', 'runs', 'serve', 'validate', 'validate-config'];

t.test('a typing error finds the intended word', async (t) => {
  t.equal(findSuggestion('serv', known), 'serve');
  t.equal(findSuggestion('vaildate', known), 'validate');
  t.equal(findSuggestion('validate-confg', known), 'validate-config');
  t.equal(findSuggestion('RUN', known), 'run');
  t.equal(findSuggestion('rum', known), 'run');
  t.equal(findSuggestion('rnu', known), 'run');
  t.equal(findSuggestion('Urn', known), 'run');
  t.equal(findSuggestion('rnus', known), 'runs');
  t.equal(findSuggestion('psuh', ['list', 'push', 'pull']), 'push');
  t.equal(findSuggestion('nur', known), undefined, 'not neighbours');
});

t.test('a word without a similar one has no suggestion', async (t) => {
  t.equal(findSuggestion('deploy', known), undefined);
  t.equal(findSuggestion('', known), undefined);
  t.equal(findSuggestion('x', []), undefined);
});

t.test('the most similar word is suggested, the first of equals', async (t) => {
  t.equal(findSuggestion('runss', known), 'runs');
  t.equal(findSuggestion('ab', ['aa', 'bb']), 'aa');
});

t.test('the hint is a sentence followed by a space, or empty', async (t) => {
  t.equal(formatSuggestion('serv', known), 'did you mean `serve`? ');
  t.equal(formatSuggestion('deploy', known), '');
});
