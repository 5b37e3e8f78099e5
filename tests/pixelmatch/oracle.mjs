// Answers questions on standard input, one JSON object a line, with pixelmatch and pngjs.
import crypto from 'node:crypto';
import fs from 'node:fs';
import readline from 'node:readline';
import pixelmatch from 'pixelmatch';
import {PNG} from 'pngjs';

const COUNTED = 1;
const ANTI_ALIASED = 2;
const SLIGHT = 3;

const read = (path) => PNG.sync.read(fs.readFileSync(path));
const hash = (...parts) =>
    parts.reduce((sum, part) => sum.update(part), crypto.createHash('sha256')).digest('hex');

function pixelsHash({width, height, data}) {
    const size = Buffer.alloc(16);
    size.writeBigUInt64BE(BigInt(width), 0);
    size.writeBigUInt64BE(BigInt(height), 8);
    return hash(size, data);
}

// The value of a pixel of the mask, from the color in which pixelmatch drew it over white.
function markOf(red, green, unequal) {
    if (green === 255) return unequal ? SLIGHT : 0;
    return red === 255 ? COUNTED : ANTI_ALIASED;
}

function compare(a, b, {threshold, includeAA}) {
    const {width, height} = a;
    const drawn = Buffer.alloc(a.data.length);
    const colors = {alpha: 0, diffColor: [255, 0, 0], aaColor: [0, 0, 255]};
    const options = {threshold, includeAA, ...colors};
    const count = pixelmatch(a.data, b.data, drawn, width, height, options);
    const mask = Buffer.alloc(width * height);
    for (let pixel = 0; pixel < mask.length; pixel++) {
        const at = 4 * pixel;
        const unequal = a.data.readUInt32LE(at) !== b.data.readUInt32LE(at);
        mask[pixel] = markOf(drawn[at], drawn[at + 1], unequal);
    }
    return [count, hash(mask).slice(0, 16)];
}

function answer(question) {
    if (question.path) return pixelsHash(read(question.path));
    const [a, b] = [read(question.before), read(question.after)];
    if (a.width !== b.width || a.height !== b.height) return null;
    return question.settings.map((setting) => compare(a, b, setting));
}

for await (const line of readline.createInterface({input: process.stdin})) {
    console.log(JSON.stringify(answer(JSON.parse(line))));
}
