import t from 'tap';
import { didYouMean, suggestion } from '../../src/errors/suggestion.ts';

const known = ['run', 'runs', 'serve', 'validate', 'validate-config'];

t.test('a slip of the finger finds the word that was meant', async (t) => {
  t.equal(suggestion('serv', known), 'serve');
  t.equal(suggestion('vaildate', known), 'validate');
  t.equal(suggestion('validate-confg', known), 'validate-config');
  t.equal(suggestion('RUN', known), 'run');
  t.equal(suggestion('rum', known), 'run');
  t.equal(suggestion('rnu', known), 'run');
  t.equal(suggestion('Urn', known), 'run');
  t.equal(suggestion('rnus', known), 'runs');
  t.equal(suggestion('psuh', ['list', 'push', 'pull']), 'push');
  t.equal(suggestion('nur', known), undefined, 'not neighbours');
});

t.test('a word that resembles none finds none', async (t) => {
  t.equal(suggestion('deploy', known), undefined);
  t.equal(suggestion('', known), undefined);
  t.equal(suggestion('x', []), undefined);
});

t.test('of two near ones the nearest is taken, and the first of equals', async (t) => {
  t.equal(suggestion('runss', known), 'runs');
  t.equal(suggestion('ab', ['aa', 'bb']), 'aa');
});

t.test('the hint is a sentence with a space behind it, or nothing', async (t) => {
  t.equal(didYouMean('serv', known), 'did you mean `serve`? ');
  t.equal(didYouMean('deploy', known), '');
});
