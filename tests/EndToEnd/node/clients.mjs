// Drives ioredis and node-redis against a server: node clients.mjs PORT. Exits with 0 and prints "ok" where all is well.
import assert from 'node:assert/strict';
import Redis from 'ioredis';
import { createClient } from 'redis';

const port = Number(process.argv[2]);
const patienceMs = 300_000;

async function ioredis() {
  const client = new Redis(port, '127.0.0.1', { lazyConnect: true, connectTimeout: patienceMs });
  await client.connect();
  assert.equal(await client.set('io:a', '1', 'EX', 1000), 'OK');
  assert.equal(await client.get('io:a'), '1');
  assert.equal(await client.incrby('io:a', 41), 42);
  assert.ok((await client.ttl('io:a')) > 90);
  const big = Buffer.alloc(3 << 20, 'x');
  await client.set('io:big', big);
  assert.ok((await client.getBuffer('io:big')).equals(big));
  const pipeline = client.pipeline();
  for (let i = 0; i < 1000; i++) pipeline.set(`io:p:${i}`, `${i}`).get(`io:p:${i}`);
  const results = await pipeline.exec();
  assert.equal(results[1999][1], '999');
  const transaction = await client.multi().incr('io:n').incr('io:n').exec();
  assert.deepEqual(transaction.map((r) => r[1]), [1, 2]);
  const found = new Set();
  for await (const keys of client.scanStream({ match: 'io:p:*', count: 100 })) keys.forEach((k) => found.add(k));
  assert.equal(found.size, 1000);
  const subscriber = client.duplicate();
  const message = new Promise((resolve) => subscriber.on('message', (channel, text) => resolve([channel, text])));
  await subscriber.subscribe('io:news');
  assert.equal(await client.publish('io:news', 'hello'), 1);
  assert.deepEqual(await message, ['io:news', 'hello']);
  await assert.rejects(client.call('NOSUCH'), /unknown command/);
  subscriber.disconnect();
  await client.quit();
}

async function nodeRedis(RESP) {
  const client = createClient({ url: `redis://127.0.0.1:${port}`, RESP, socket: { connectTimeout: patienceMs } });
  await client.connect();
  assert.equal(await client.set('nr:a', 'x'), 'OK');
  assert.equal(await client.get('nr:a'), 'x');
  assert.equal(await client.append('nr:a', 'yz'), 3);
  assert.deepEqual(await client.mGet(['nr:a', 'nr:none']), ['xyz', null]);
  assert.deepEqual(await client.multi().set('nr:b', '1').incr('nr:b').exec(), ['OK', 2]);
  const other = client.duplicate();
  await other.connect();
  await client.watch('nr:b');
  await other.set('nr:b', '7');
  await assert.rejects(client.multi().set('nr:b', '8').exec());
  assert.equal(await client.get('nr:b'), '7');
  const messages = [];
  await other.subscribe('nr:news', (text) => messages.push(text));
  await client.publish('nr:news', 'one');
  while (messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(messages, ['one']);
  assert.match(await client.info('server'), /server_name:cinnabar/);
  await other.unsubscribe();
  await other.quit();
  await client.quit();
}

await ioredis();
await nodeRedis(2);
await nodeRedis(3);
console.log('ok');
