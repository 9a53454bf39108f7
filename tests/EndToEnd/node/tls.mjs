// Drives ioredis and node-redis over TLS: node tls.mjs PORT CA CERTIFICATE KEY. Exits with 0 and prints "ok" where all is well.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import Redis from 'ioredis';
import { createClient } from 'redis';

const port = Number(process.argv[2]);
const [ca, cert, key] = process.argv.slice(3).map((path) => readFileSync(path));
const patienceMs = 300_000;
const big = 'x'.repeat(300_000);

const tls = { ca, cert, key, servername: 'localhost' };
const client = new Redis(port, '127.0.0.1', { tls, connectTimeout: patienceMs });
assert.equal(await client.set('ioredis', big), 'OK');
assert.equal(await client.get('ioredis'), big);
const pipeline = client.pipeline();
for (let index = 0; index < 1000; index++) pipeline.incr('ioredis:count');
assert.equal((await pipeline.exec()).at(-1)[1], 1000);
const waiting = client.duplicate();
const popped = waiting.blpop('ioredis:list', 0);
await client.rpush('ioredis:list', 'a');
assert.deepEqual(await popped, ['ioredis:list', 'a']);
waiting.disconnect();
client.disconnect();

for (const RESP of [2, 3]) {
  const other = createClient({ RESP, socket: { port, host: 'localhost', family: 4, tls: true, ca, cert, key,
    connectTimeout: patienceMs } });
  await other.connect();
  assert.equal(await other.get('ioredis'), big);
  const listener = other.duplicate();
  await listener.connect();
  const heard = new Promise((resolve) => listener.subscribe('news', resolve));
  while (await other.publish('news', big) === 0);
  assert.equal(await heard, big);
  listener.destroy();
  other.destroy();
}

// Without a certificate no client is served: the server ends the connection, without a reply.
const stranger = connect({ port, host: '127.0.0.1', ca, servername: 'localhost' });
const answers = [];
stranger.on('data', (data) => answers.push(data));
stranger.on('error', () => {});
stranger.write('PING\r\n');
await new Promise((resolve) => stranger.on('close', resolve));
assert.deepEqual(answers, []);
console.log('ok');
