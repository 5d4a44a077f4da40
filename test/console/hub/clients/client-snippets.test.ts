import t from 'tap';
import { clientSnippets } from '../../../../src/console/hub/clients/client-snippets.ts';

t.test('each snippet contains the URL and the token, and JSON snippets are valid', async (t) => {
  const address = { name: 'acme', url: 'https://hub.example.com/agent/mcp', token: 'vph_secret' };
  for (const { name, format: text, signInHint: signsIn } of clientSnippets) {
    const textWithToken = text(address);
    t.match(textWithToken, address.url, name);
    t.match(textWithToken, address.token, name);
    const textWithoutToken = text({ name: 'acme', url: 'https://hub.example.com/hub/acme/mcp' });
    t.match(textWithoutToken, 'https://hub.example.com/hub/acme/mcp', name);
    t.notMatch(textWithoutToken, /Bearer|HUB_|undefined/, `${name} signs in by itself: ${signsIn}`);
    for (const snippetText of [textWithToken, textWithoutToken])
      if (snippetText.startsWith('{')) t.doesNotThrow(() => JSON.parse(snippetText), name);
  }
});
