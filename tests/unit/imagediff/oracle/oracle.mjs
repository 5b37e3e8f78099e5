// Answers questions on standard input, one JSON object a line, with pixelmatch and pngjs.
import crypto from 'node:crypto';
import fs from 'node:fs';
import readline from 'node:readline';
import pixelmatch from 'pixelmatch';
import {PNG} from 'pngjs';

const read = (path) => PNG.sync.read(fs.readFileSync(path));

function digest({path}) {
    const {width, height, data} = read(path);
    const size = Buffer.alloc(16);
    size.writeBigUInt64BE(BigInt(width), 0);
    size.writeBigUInt64BE(BigInt(height), 8);
    return crypto.createHash('sha256').update(size).update(data).digest('hex');
}

function count({before, after, threshold, includeAA}) {
    const [a, b] = [read(before), read(after)];
    if (a.width !== b.width || a.height !== b.height) return null;
    return pixelmatch(a.data, b.data, null, a.width, a.height, {threshold, includeAA});
}

for await (const line of readline.createInterface({input: process.stdin})) {
    const question = JSON.parse(line);
    console.log(JSON.stringify(question.path ? digest(question) : count(question)));
}
