import t from 'tap';
import { createElementSelector } from '../../../src/executor/response/element-selector.ts';
import { findXmlProblem } from '../../../src/executor/response/xml-problem.ts';

t.test('a well-formed document has no problem', async (t) => {
  for (const text of [
    '<a/>',
    '<?xml version="1.0" encoding="UTF-8"?>\n<!-- <b> -->\n<a x="1" y = \'2\'>t &amp; &#38; &#x26;</a>\n<!-- end -->\n<?done?>\n',
    '<s:Envelope xmlns:s="u"><s:Body><![CDATA[<x> & ]]></s:Body></s:Envelope >',
    '<!DOCTYPE a [<!ENTITY n "1"><!-- it\'s > --><!ELEMENT a (#PCDATA)>]><a>&n;</a>',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/x.dtd"><html>&nbsp;</html>',
    '<größe einheit="cm">5 > 4</größe>',
    '<a b=">"/>',
  ])
    t.equal(findXmlProblem(text), undefined, text);
});

t.test('what XML parsers refuse is named with its line', async (t) => {
  const cases: readonly (readonly [text: string, problem: string])[] = [
    ['\n<?xml version="1.0"?><a/>', 'it has an XML declaration that is not at its beginning, in line 2'],
    ['Notice: Undefined index\n<a/>', 'there is text before its element, in line 1'],
    ['<a/>\n<a/>', 'it has a second element, in line 2'],
    ['<a/>\nFatal error', 'there is text after its element, in line 2'],
    ['<a></b></a>', 'it has `</b>` where `<a>` is open, in line 1'],
    ['<a/></a>', 'it has `</a>` without its start, in line 1'],
    ['<a x=1/>', 'it has a tag that is malformed, in line 1'],
    ['<a x/>', 'it has a tag that is malformed, in line 1'],
    ['<a x="1" x="2"/>', 'it has the attribute `x` twice, in line 1'],
    ['<a>Q&A</a>', '`&` begins no known entity, in line 1'],
    ['<a b="1&2"/>', '`&` begins no known entity, in line 1'],
    ['<a>&nbsp;</a>', '`&` begins no known entity, in line 1'],
    ['<a>1 < 2</a>', 'it has a tag that is malformed, in line 1'],
    ['<a/><!-- cut', 'it has a comment that does not end, in line 1'],
    ['<a/><?cut', 'it has an instruction that does not end, in line 1'],
    ['<!DOCTYPE a [<!ENTITY', 'it has a document type that does not end, in line 1'],
    ['<a><b></a>', 'it has `</a>` where `<b>` is open, in line 1'],
    ['<a><b>', '`<b>` is not closed'],
    ['<!-- nothing -->', 'it has no element'],
  ];
  for (const [text, problem] of cases) t.equal(findXmlProblem(text), problem, text);
});

t.test('no check of XML holds for a document that parsers refuse', async (t) => {
  const select = createElementSelector();
  const xml = { text: '<Order><Total>9.50</Total></Order>\n<br />Warning: slow', type: 'text/xml' };
  t.match(select(xml, 'Total'), { problem: 'XML that no parser reads: it has a second element, in line 2' });
  t.match(select({ ...xml, type: 'text/html' }, 'total'), { elements: [{}] }, 'HTML is read as browsers read it');
});

t.test('a long text takes time in proportion', async (t) => {
  const length = 2_000_000;
  for (const text of [
    `<a${' '.repeat(length)}`,
    `<a${' b="1"'.repeat(length / 6)}`,
    `<a>${'<b x="1"> '.repeat(length / 10)}`,
    `<a>${'&amp;'.repeat(length / 5)}</a>`,
    `<a ${'b'.repeat(length)}`,
    `<!DOCTYPE a [${'<!-- -->'.repeat(length / 8)}`,
  ])
    t.doesNotThrow(() => findXmlProblem(text));
});
