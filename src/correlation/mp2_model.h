/* What tools/lab must know of the transformations of MP2. */
#ifndef HF_MP2_MODEL_H
#define HF_MP2_MODEL_H

struct hf_json;
/** Writes the constants by which tools/lab models MP2. */
void hf_mp2_put_model(struct hf_json to);

#endif
